import assert from "node:assert/strict";
import { test } from "node:test";
import { open, part, Repository, set, until } from "./world.mjs";

test("a session that is forked by the entry of its row goes on in a window of the child", async t => {
  const repository = await Repository.make("fork");
  await repository.talk("Please remember CODEWORD-HERON7");
  set({ "sidefork.open.child": "newWindow" });
  const w = await open(t, repository.root);
  await w.sidefork("Please remember");
  await w.menu(w.row("Please remember"));
  await w.shot("menu");
  await w.pick("Fork Agent Session...");
  await w.formIsWhole();
  await w.shot("form");
  const opened = w.page.context().waitForEvent("page");
  await w.field("name").press("Enter");
  const child = w.of(await opened);
  await child.ready();
  await child.shows(/CODEWORD-HERON7.*shift\+tab/s); // the conversation so far, and a prompt
  await child.page.bringToFront();
  await child.type("Which word was it?");
  await child.shows(/Which\sword\swas\sit\?.*RECALL\sCODEWORD-HERON7/s);
  await child.shot("child");
  assert.deepEqual(["README.md", "new ü.txt"].map(name => repository.child("fork-fork").read(name)), ["as changed\n", "new\n"]);
  assert.equal((await repository.sidefork("sessions")).sessions.length, 1);
});

test("the session that runs in a terminal is forked from there", async t => {
  const repository = await Repository.make("terminal");
  set();
  const w = await open(t, repository.root);
  await w.terminal();
  await w.type("claude");
  await w.shows("shift+tab");
  await w.type("Please remember CODEWORD-TERN3");
  await w.shows("RECALL CODEWORD-TERN3");
  await w.menu(w.page.locator(".terminal-wrapper.active .xterm").first());
  await w.pick("Fork Agent Session...");
  await w.formIsWhole();
  assert.match(await w.field("session").locator("option:checked").textContent(), /^claude · .*CODEWORD-TERN3/);
  await w.field("name").press("Enter");
  await w.tab("claude · terminal-fork").waitFor();
  await w.shows(/CODEWORD-TERN3/, ".terminal-editor");
  assert.deepEqual(await w.ours(w.page.locator(".single-terminal-tab, .terminal-tabs-entry").first()), ["Fork Agent Session..."]);
});

test("a fork by the keyboard alone", async t => {
  const repository = await Repository.make("keys");
  await repository.talk("Please remember CODEWORD-KITE5");
  set();
  const w = await open(t, repository.root);
  const keys = async (...all) => {
    for (const key of all) await w.page.keyboard.press(key);
  };
  const words = async title => {
    await keys("F1");
    await w.page.locator(".quick-input-widget.show-file-icons, .quick-input-widget").first().waitFor();
    await w.page.keyboard.type(title);
    await w.page.locator(".quick-input-list .monaco-list-row.focused").filter({ hasText: title }).first().waitFor();
    await keys("Enter");
  };
  await words("Sidefork: Focus on Workspaces View");
  await w.row("Please remember").waitFor();
  await words("Sidefork: Focus on Workspaces View"); // a view that is still empty passes the focus to nobody
  await w.page.locator(".sidebar .monaco-list:focus").waitFor();
  // The first row gets the mark late, over that of a key.
  await until("the session is marked", async () => await w.page.locator(".sidebar .monaco-list-row.focused").filter({ hasText: "Please remember" }).isVisible() || keys("End"));
  await keys("Shift+F10");
  await w.page.locator(".monaco-menu .action-item").first().waitFor();
  await keys("ArrowDown");
  await w.page.locator(".monaco-menu .action-item.focused").filter({ hasText: "Fork Agent Session..." }).waitFor();
  await keys("Enter");
  await w.formIsWhole();
  await w.focused("name");
  await w.page.keyboard.type("by keys");
  await keys("Enter");
  await w.form.locator("#name-error").filter({ hasText: /\S/ }).waitFor();
  await w.selected("name");
  await w.page.keyboard.type("by-keys");
  await keys("Tab");
  await w.focused("child");
  await keys("Tab");
  await w.focused("carry");
  await keys("Space");
  await w.form.locator("#carry:not(:checked)").waitFor();
  await keys("Tab");
  await w.focused("base");
  await keys("ArrowDown");
  await w.form.locator("#base-list li").first().waitFor();
  await keys("Escape"); // closes the list, not the form
  await w.form.locator("#base-list").waitFor({ state: "hidden" });
  await keys("Shift+Tab", "Shift+Tab", "Shift+Tab");
  await w.focused("name");
  await keys("Enter");
  await w.shows("CODEWORD-KITE5");
  assert.equal(repository.child("by-keys").read("README.md"), "as committed\n");
});

test("the form, and what a child offers", async t => {
  const repository = await Repository.make("form");
  await repository.talk("Please remember CODEWORD-FROG2");
  set();
  const w = await open(t, repository.root);
  await w.sidefork("Please remember");
  const ask = async () => {
    await w.menu(w.row("form"));
    await w.pick("Fork Agent Session...");
    await w.formIsWhole();
  };

  await part(t, w, "a wrong name is said beside the field, which has the focus again", async () => {
    await ask();
    await w.field("name").fill("not a..name");
    await w.field("carry").focus();
    await w.form.getByRole("button", { name: "Fork" }).click();
    await w.form.locator("#name-error").filter({ hasText: /\S/ }).waitFor();
    await w.focused("name");
    await w.shot("error");
  });

  await part(t, w, "the plan names each file that would come and writes nothing", async () => {
    await w.field("name").fill("planned");
    await w.form.getByRole("button", { name: "Show Plan" }).click();
    const plan = w.page.locator(".editor-instance .view-lines");
    await plan.filter({ hasText: /README\.md/ }).filter({ hasText: /new.ü\.txt/ }).filter({ hasText: "planned" }).first().waitFor();
    await w.shot("plan");
    assert.equal(repository.child("planned").exists(), false);
  });

  await part(t, w, "Escape leaves the form with nothing written", async () => {
    await w.field("name").press("Escape");
    await w.tab("Fork Agent Session").waitFor({ state: "detached" });
    assert.equal(await repository.git("branch", "--format=%(refname:short)"), "main\n");
  });

  await part(t, w, "without a session the child has a plain terminal", async () => {
    await ask();
    await w.field("session").selectOption("none");
    await w.field("name").fill("branch-only");
    await w.field("name").press("Enter");
    await w.shows("$");
    await w.type("basename $PWD; cat README.md");
    await w.shows(/branch-only.*as\schanged/s);
  });

  await part(t, w, "Compare with Parent opens all that the child has changed", async () => {
    await w.menu(w.row("branch-only"));
    await w.pick("Compare with Parent");
    await w.tab("branch-only against main").waitFor();
    const files = w.page.locator(".multiDiffEntry");
    await files.filter({ hasText: "README.md" }).first().waitFor();
    await w.page.locator(".multiDiffEntry .view-line").filter({ hasText: /as.changed/ }).first().waitFor();
    await w.shot("compare");
  });

  await part(t, w, "Remove names what would be lost, and goes on only with what is ticked", async () => {
    await w.menu(w.row("branch-only"));
    await w.pick("Remove...");
    await w.page.locator(".monaco-dialog-box").getByRole("button", { name: "Remove with Its Branch" }).click();
    await w.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await w.shot("remove");
    await w.page.keyboard.press("Escape");
    assert.equal(repository.child("branch-only").read("README.md"), "as changed\n");
  });
});
