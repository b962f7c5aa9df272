import assert from "node:assert/strict";
import { test } from "node:test";
import { planText } from "../src/form/plan";

const t = (text: string, ...args: (string | number)[]) => text.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

test("a plan names every file, what stays and why, and the commands, each on one line", () => {
  const text = planText({
    files: [{ path: "a b", change: "modified", bytes: 1 }, { path: "x\ny", change: "untracked", bytes: 1 }], left: [{ path: "node_modules", reason: "ignored" }],
    refusals: [{ code: "nameTaken", message: "Taken.", remedy: "Choose." }], commands: [["git", "worktree", "add", "/a b"]], workspace: "/r", name: "r-fork", dir: "/r-fork", warnings: [],
  }, t);
  for (const line of ["  modified    a b", "  untracked   x y", "  node_modules (ignored)", "  Taken. Choose.", "  git worktree add '/a b'", "  branch: r-fork"]) {
    assert.ok(text.split("\n").includes(line), `${line} is not in\n${text}`);
  }
});
