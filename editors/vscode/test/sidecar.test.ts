import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { createMessageConnection, type MessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { Dialog } from "../src/form/dialog";
import { planText } from "../src/form/plan";
import { blocked, nest } from "../src/nodes";
import type { Abilities, Changed, Comparison, ForkResult, Outcome, Plan, Resolve, Workspaces } from "../src/wire";

// The shapes of wire.ts and the form's rules against the real program, where it was built (make build).

const program = path.resolve("../../bin/sidefork");
const skip = fs.existsSync(program) ? false : "bin/sidefork is not built";
const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "sidefork-vscode-"));
const repository = path.join(root, "app");
const env = {
  PATH: process.env.PATH, HOME: path.join(root, "home"), GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.invalid",
  GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.invalid",
};
let connection: MessageConnection, abilities: Abilities;
let dialog: Dialog | undefined;
let end: () => Promise<void> = async () => {};

const execute = <Result>(command: string, argument: object, more: object = {}) =>
  connection.sendRequest<Result>("workspace/executeCommand", { command, arguments: [argument], ...more });

before(async () => {
  if (skip) return;
  fs.mkdirSync(repository);
  fs.mkdirSync(env.HOME);
  const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { env });
  git("init", "-q", "-b", "main");
  fs.writeFileSync(path.join(repository, "a"), "a\n");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  fs.writeFileSync(path.join(repository, "a"), "changed\n");
  const child = spawn(program, ["serve", "--stdio"], { env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>(resolve => child.once("exit", () => resolve()));
  connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  connection.onNotification("sidefork/changed", (what: Changed) => { if (what.what === "form") dialog?.news(); });
  connection.listen();
  const answer = await connection.sendRequest<{ capabilities: { experimental: { sidefork: Abilities } } }>("initialize",
    { processId: null, capabilities: {}, workspaceFolders: [{ uri: "file://" + repository, name: "app" }] });
  abilities = answer.capabilities.experimental.sidefork;
  await connection.sendNotification("initialized", {});
  end = async () => {
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    await exited;
    connection.dispose();
  };
});

after(async () => {
  await end();
  fs.rmSync(root, { recursive: true, force: true });
});

test("the sidecar says which contract it has, and serves what the extension asks for", { skip }, () => {
  assert.equal(abilities.contract, 1);
  for (const feature of ["workspaces", "sessions", "plan", "fork", "outcome", "locate", "guard", "resume", "adopt", "remove", "compare", "form", "changed"]) {
    assert.ok(abilities.features.includes(feature), feature);
  }
});

test("a dialog forks with what it draws, and its child is below its parent", { skip }, async () => {
  let changed = () => {};
  dialog = new Dialog(params => connection.sendRequest<Resolve>("command/resolve", params), { workspace: repository }, () => changed());
  await dialog.open();
  dialog.change("name", "try");
  for (let quiet = false; !quiet;) {
    await new Promise<void>(resolve => changed = resolve);
    quiet = !dialog.fields.some(field => field.type.pending);
  }
  assert.match(dialog.fields.find(field => field.id === "carry")!.description, /1 modified/);

  const plan = await execute<Plan>("sidefork.plan", { workspace: repository }, { formAnswers: dialog.answers() });
  const translate = (text: string) => text;
  assert.match(planText(plan, translate), /modified +a\n/);

  const formAnswers = await dialog.submit();
  assert.ok(formAnswers, JSON.stringify(dialog.fields));
  const operationId = "0b8e4a30-8a2c-4c1e-9a57-1f0d7a1b2c3d";
  const made = await execute<ForkResult>("sidefork.fork", { workspace: repository, operationId, launch: "client" }, { formAnswers });
  assert.equal(made.status, "completed");
  assert.equal(fs.readFileSync(path.join(made.workspace!.path, "a"), "utf8"), "changed\n");
  assert.equal((await execute<Outcome>("sidefork.outcome", { operationId, repository })).state, "completed");

  const { repositories } = await execute<Workspaces>("sidefork.workspaces", {});
  const [main] = nest(repositories[0]!);
  const [child] = main!.children;
  assert.ok(child?.kind === "workspace" && child.workspace.branch === "try" && blocked(child.workspace) === undefined, JSON.stringify(repositories));
  const compared = await execute<Comparison>("sidefork.compare", { workspace: made.workspace!.path });
  assert.deepEqual(compared.files.map(file => [file.path, file.change, file.committed]), [["a", "modified", false]]);
});

test("a wrong name is the field's error, and nothing is submitted", { skip }, async () => {
  dialog = new Dialog(params => connection.sendRequest<Resolve>("command/resolve", params), { workspace: repository });
  await dialog.open();
  dialog.change("name", "not a..name");
  assert.equal(await dialog.submit(), undefined);
  assert.ok(dialog.fields.find(field => field.id === "name")!.error);
});

test("what the sidecar refuses carries its reason", { skip }, async () => {
  await assert.rejects(execute("sidefork.remove", { workspace: repository }), (error: { data?: { reason?: { code: string }; effect?: string } }) =>
    error.data?.reason?.code === "mainCheckout" && error.data.effect === "nothing");
});
