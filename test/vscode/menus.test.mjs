import assert from "node:assert/strict";
import { test } from "node:test";
import { folder, open, part, Repository, set, until } from "./world.mjs";

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
  const w = await open(t, repository.root);
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

  // Where nothing is, the explorer's menu is that of the root folder.
  const offersAtTheRoot = async (w, wanted) => {
    await w.command("View: Show Explorer");
    let offered;
    const asWanted = async () => JSON.stringify(offered = await w.ours(w.page.locator(".explorer-folders-view .monaco-list"), { x: 150, y: 450 })) === JSON.stringify(wanted);
    await until("the explorer knows the repository", asWanted).catch(() => assert.deepEqual(offered, wanted));
  };

  await part(t, w, "the explorer has the fork on the root folder of a repository, and not on what is in it", async () => {
    await offersAtTheRoot(w, [fork]);
    assert.deepEqual(await w.ours(w.row("src")), []);
  });

  /** What source control offers on the row of a repository: on its label, not on the buttons beside it. */
  const offersInSourceControl = async (w, text) => {
    await w.command("Source Control: Focus on Changes View");
    return await w.ours(w.page.locator(".scm-view .monaco-list-row").filter({ hasText: text }).first(), { x: 55, y: 11 });
  };

  await part(t, w, "explorer and source control have the fork off, with the reason, where the folder is on no branch", async t => {
    const other = await open(t, repository.child("detached").root);
    await other.sidefork("detached");
    const off = ["Fork Agent Session... (on no branch: check one out first) (off)"];
    await offersAtTheRoot(other, off);
    assert.deepEqual(await offersInSourceControl(other, "detached"), off);
  });

  await part(t, w, "the explorer has no fork on a folder without git", async t => {
    const other = await open(t, folder("plain"));
    await other.icon.click();
    await other.page.locator(".sidebar .welcome-view").filter({ hasText: "No folder of a git repository is open here" }).waitFor();
    await offersAtTheRoot(other, []);
  });

  await part(t, w, "source control has the fork on a repository", async () => {
    assert.deepEqual(await offersInSourceControl(w, "menus"), [fork]);
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
