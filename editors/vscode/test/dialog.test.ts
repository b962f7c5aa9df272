import assert from "node:assert/strict";
import { test } from "node:test";
import { Dialog } from "../src/form/dialog";
import type { Field, Resolve } from "../src/wire";

const name: Field = { id: "name", description: "", required: true, type: { kind: "string" }, default: "r-fork" };
const session = (more: object = {}): Field => ({
  id: "session", description: "", required: true, default: "claude:1", type: { kind: "enum", entries: [{ value: "claude:1", description: "One" }, { value: "none", description: "No agent" }], ...more },
});

/** A sidecar that answers with what each call is given, and remembers what it was asked. */
function sidecar(answers: Field[][]) {
  const asked: Resolve[] = [];
  return { asked, resolve: (params: Resolve) => { asked.push(params); return Promise.resolve({ ...params, formFields: answers[Math.min(asked.length, answers.length) - 1]! }); } };
}

test("a field is drawn with what the user chose, while it can be chosen", async () => {
  const fields = [session(), name];
  const dialog = new Dialog(sidecar([fields]).resolve, {});
  await dialog.open();
  assert.equal(dialog.value(fields[0]!), "claude:1");
  dialog.change("session", "none");
  assert.equal(dialog.value(fields[0]!), "none");
  assert.equal(dialog.value(session({ disabledReason: "not now" })), "claude:1");
  dialog.change("session", "codex:9");
  assert.equal(dialog.value(fields[0]!), "claude:1", "what is not offered is not kept");
  dialog.change("name", "");
  assert.equal(dialog.value(name), "", "an emptied text is an answer");
});

test("many changes while the sidecar answers are one more question", async () => {
  const { asked, resolve } = sidecar([[session(), name]]);
  const drawn: number[] = [];
  const dialog = new Dialog(resolve, { workspace: "/r" }, () => drawn.push(asked.length));
  await dialog.open();
  for (const typed of ["a", "ab", "abc"]) dialog.change("name", typed);
  await new Promise(setImmediate);
  assert.equal(asked.length, 3);
  assert.deepEqual(asked[2], { command: "sidefork.fork", arguments: [{ workspace: "/r" }], formAnswers: [{ id: "session", value: "claude:1" }, { id: "name", value: "abc" }], draft: true });
  assert.deepEqual(drawn, [3]);
});

test("an early Enter waits for the sessions, and forks with what is known then", async () => {
  const { resolve } = sidecar([[session({ pending: true }), name], [{ ...session(), default: "none" }, name], []]);
  const dialog = new Dialog(resolve, {});
  await dialog.open();
  const submitted = dialog.submit();
  await new Promise(setImmediate);
  dialog.news();
  assert.deepEqual(await submitted, [{ id: "session", value: "none" }, { id: "name", value: "r-fork" }]);
});

test("errors come back as fields, and nothing is submitted", async () => {
  const { asked, resolve } = sidecar([[session(), name], [session(), { ...name, error: "taken" }]]);
  const dialog = new Dialog(resolve, {});
  await dialog.open();
  assert.equal(await dialog.submit(), undefined);
  assert.equal(dialog.fields[1]!.error, "taken");
  assert.equal(asked[1]!.draft, undefined);
});

test("a refusal in the middle ends the dialog with its reason", async () => {
  let calls = 0;
  const ended: unknown[] = [];
  const dialog = new Dialog(params => calls++ === 0 ? Promise.resolve({ ...params, formFields: [name] }) : Promise.reject(new Error("gone")), {}, () => {}, why => ended.push(why));
  await dialog.open();
  dialog.change("name", "x");
  await new Promise(setImmediate);
  assert.match(String(ended[0]), /gone/);
});
