import assert from "node:assert/strict";
import { test } from "node:test";
import { open, part, Repository, running, scratch, set, setMachine, until, write } from "./world.mjs";

const sidecars = () => running().filter(({ argv }) => argv.join(" ").endsWith("sidefork serve --stdio"));

test("a fork whose setup holds it up", async t => {
  const up = scratch("up"), gate = scratch("gate");
  const command = `echo up >'${up.path}'; until test -e '${gate.path}'; do sleep 0.05; done; echo ran >ran`;
  const repository = await Repository.make("setup", { ".sidefork.json": JSON.stringify({ setup: [command], terminals: [{ title: "server", command: "echo terminal-of-the-$((6*7))" }] }) });
  set();
  const others = sidecars().map(({ pid }) => pid);
  const w = await open(t, repository.root);
  await w.sidefork("setup");
  const ask = async (name, does = () => {}) => {
    await w.menu(w.row("setup"));
    await w.pick("Fork Agent Session...");
    await w.formIsWhole();
    await w.field("name").fill(name);
    await does();
    await w.field("setup").selectOption(await w.field("setup").locator('option[value^="run:"]').getAttribute("value"));
    await w.field("name").press("Enter");
  };
  const isHeld = async () => {
    await until("the setup runs", () => up.exists());
    up.remove();
  };
  const nothing = async name => {
    assert.equal(repository.child(name).exists(), false);
    assert.equal(await repository.git("branch", "--list", name), "");
    assert.equal((await repository.git("worktree", "list")).trim().split("\n").length, 1);
  };

  await part(t, w, "Cancel in its notification takes back all of it", async () => {
    await ask("cancelled", async () => {
      await w.form.locator(".setup pre").filter({ hasText: command }).waitFor(); // all that would run is in sight
      await w.shot("setup");
    });
    await isHeld();
    const progress = w.notification("Fork cancelled");
    await progress.waitFor();
    await w.shot("progress");
    await progress.getByRole("button", { name: "Cancel" }).click();
    await w.notification("was cancelled: nothing of it stands").waitFor();
    await nothing("cancelled");
  });

  await part(t, w, "when its sidecar is killed it may be partially applied, until the next one has said what became of it", async () => {
    await ask("killed");
    await isHeld();
    const [mine, ...more] = sidecars().filter(({ pid }) => !others.includes(pid));
    assert.deepEqual(more, []);
    process.kill(mine.pid, "SIGKILL");
    await w.notification("Fork killed was interrupted: it may be partially applied").waitFor();
    await w.notification("Fork killed was taken back completely: nothing of it stands").waitFor({ timeout: 60_000 });
    await w.shot("killed");
    await nothing("killed");
  });

  await part(t, w, "once it is approved it runs in the child, and the repository's terminals open", async () => {
    gate.make();
    await ask("prepared");
    await w.shows("terminal-of-the-42");
    assert.equal(repository.child("prepared").read("ran"), "ran\n");
  });
});

test("a program that cannot be used", async t => {
  const repository = await Repository.make("program");
  set();
  setMachine({ "sidefork.path": "/nowhere/sidefork" });
  t.after(() => setMachine());
  const w = await open(t, repository.root);

  await part(t, w, "that is missing is named in one message, with a button to the setting", async () => {
    await w.icon.click();
    const said = w.notification("/nowhere/sidefork was not found");
    await said.waitFor();
    await w.page.locator(".sidebar .welcome-view").filter({ hasText: "does not run" }).waitFor();
    assert.equal(await w.page.locator(".notifications-toasts .notification-list-item").count(), 1);
    await w.shot("missing");
    await said.getByRole("button", { name: "Open Settings" }).click();
    const setting = w.page.locator(".settings-editor .setting-item-contents").filter({ hasText: "Sidefork: Path" }).first();
    await setting.waitFor();
    await w.page.keyboard.press("Escape");
    await setting.waitFor({ state: "detached" });
  });

  await part(t, w, "that is of another system is named too", async () => {
    const foreign = scratch("sidefork-of-another-system");
    write(foreign.path, Buffer.from("cffaedfe0c000001".padEnd(64, "0"), "hex"), 0o755); // Mach-O, arm64
    setMachine({ "sidefork.path": foreign.path });
    await w.notification("is not a program for this system").waitFor();
  });

  await part(t, w, "is replaced by the setting without a reload", async () => {
    setMachine();
    await w.row("program").waitFor();
  });
});

test("in Restricted Mode nothing of it is there", async t => {
  const repository = await Repository.make("restricted");
  set({ "security.workspace.trust.enabled": true });
  const before = sidecars().length;
  const w = await open(t, repository.root, { restricted: true });
  await w.page.locator(".statusbar-item").filter({ hasText: "Restricted Mode" }).waitFor();
  assert.deepEqual((await w.offered("Sidefork")).filter(label => label.startsWith("Sidefork")), []);
  assert.equal(await w.icon.count(), 0);
  assert.equal(sidecars().length, before);
  await w.shot("restricted");
});
