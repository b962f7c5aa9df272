import assert from "node:assert/strict";
import { test } from "node:test";
import { folder, folders, open, part, Repository, set } from "./world.mjs";

const fork = "Fork Agent Session...";
const opens = ["Open in New Window", "Open in Current Window", "Add to Workspace", "Open in Terminal"];
const copies = ["Copy Path", "Copy Branch Name"];

test("menus", async t => {
  set({ "explorer.compactFolders": false });
  const repository = await Repository.make("menus");
  await repository.talk("Please remember CODEWORD-MENU1");
  await repository.sidefork("fork", "--no-session", "--name", "child");
  await repository.sidefork("fork", "--no-session", "--name", "gone");
  await repository.git("worktree", "add", "-q", "--detach", repository.child("detached").root);
  await repository.git("worktree", "add", "-q", "-b", "merging", repository.child("merging").root);
  repository.child("gone").vanish();
  const merging = repository.child("merging");
  merging.write({ "README.md": "theirs\n" });
  await merging.git("commit", "-qam", "theirs");
  await merging.git("checkout", "-q", "-b", "ours", "HEAD~");
  merging.write({ "README.md": "ours\n" });
  await merging.git("commit", "-qam", "ours");
  await merging.git("merge", "-q", "merging").catch(() => {}); // a conflict
  const w = await open(t, folders("menus", repository.root, repository.child("detached").root, folder("plain")));
  await w.sidefork("Please remember");

  const rows = {
    "a workspace": ["menus", [fork, ...opens, "Compare with...", ...copies]],
    "a child": ["child", [fork, ...opens, "Compare with Parent", "Compare with...", "Set Parent...", "Archive", "Remove...", ...copies]],
    "one on no branch": ["detached", [
      "Fork Agent Session... (on no branch: check one out first) (off)", ...opens, "Compare with...", "Set Parent...", "Archive", "Remove...", "Copy Path",
    ]],
    "one in a merge": ["merging", [
      "Fork Agent Session... (a merge, rebase or the like is in progress) (off)", ...opens, "Compare with...", "Set Parent...", "Archive", "Remove...", ...copies,
    ]],
    "one whose folder is gone": ["gone", ["Fork Agent Session... (the folder is gone) (off)", "Set Parent...", "Remove...", ...copies]],
    "a session": ["Please remember", [fork, "Resume Session", "Copy Session Id"]],
  };
  for (const [what, [text, wanted]] of Object.entries(rows)) {
    await part(t, w, `the view offers for ${what} what can be done, and says why the rest cannot`, async () => {
      const offered = await w.menu(w.row(text));
      await w.escape();
      assert.deepEqual(offered, wanted);
    });
  }

  await part(t, w, "the explorer has the fork on the root folders of repositories and nowhere else", async () => {
    await w.command("View: Show Explorer");
    assert.deepEqual(await w.ours(w.row("menus")), [fork]);
    assert.deepEqual(await w.ours(w.row("detached")), ["Fork Agent Session... (on no branch: check one out first) (off)"]);
    assert.deepEqual(await w.ours(w.row("plain")), []);
    assert.deepEqual(await w.ours(w.row("src")), []);
  });

  await part(t, w, "source control has the fork on each repository", async () => {
    await w.command("Source Control: Focus on Changes View");
    // The label, not the buttons beside it.
    const at = { x: 55, y: 11 };
    const row = text => w.page.locator(".scm-view .monaco-list-row, .scm-repositories-view .monaco-list-row").filter({ hasText: text }).first();
    assert.deepEqual(await w.ours(row("menus"), at), [fork]);
    assert.deepEqual(await w.ours(row("detached"), at), ["Fork Agent Session... (on no branch: check one out first) (off)"]);
  });

  await part(t, w, "a terminal has the fork, in it and on its tab", async () => {
    await w.command("Terminal: Create New Terminal in Editor Area");
    const screen = w.page.locator(".terminal-editor .xterm").first();
    await screen.waitFor();
    assert.deepEqual(await w.ours(screen), [fork]);
    assert.deepEqual(await w.ours(w.page.locator(".tabs-container .tab").first()), []); // of the editor, not of the panel
  });

  await part(t, w, "the palette has what needs no place and nothing that does", async () => {
    assert.deepEqual((await w.offered("Sidefork: ")).filter(label => label.startsWith("Sidefork: ")).sort(), [
      "Sidefork: Compare with Parent", "Sidefork: Focus on Workspaces View", "Sidefork: Fork Agent Session...", "Sidefork: Refresh", "Sidefork: Restart", "Sidefork: Show Log",
    ]);
  });
});
