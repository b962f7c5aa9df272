import assert from "node:assert/strict";
import { test } from "node:test";
import { nest, type Node, words } from "../src/nodes";
import { ages } from "../src/words";
import type { Repository, Session, Workspace } from "../src/wire";

const t = (text: string, ...args: (string | number)[]) => text.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

function workspace(path: string, depth: number, more: Partial<Workspace> = {}): Workspace {
  return {
    path, name: path.split("/").at(-1)!, branch: "main", head: "0".repeat(40), parent: null, depth, main: depth === 0, detached: false, locked: false,
    archived: false, missing: false, agentsLive: 0, fork: { allowed: true, hidden: false }, ...more,
  };
}

function session(more: Partial<Session> = {}): Session {
  return {
    agent: "claude", id: "abc", title: "Fix the test", firstPrompt: "", cwd: "/r", workspace: "/r", branch: "main", startedAt: null, lastActivity: null,
    state: "ended", fork: { kind: "native" }, ...more,
  };
}

const said = (node: Node) => words(node, 0, ages("en"), t);
const repository = (workspaces: Workspace[]): Repository => ({ root: "/r", gitDir: "/r/.git", defaultBranch: "main", workspaces });

test("workspaces are nested by their depths, in their order", () => {
  const tree = nest(repository([workspace("/r", 0), workspace("/a", 1), workspace("/a1", 2), workspace("/b", 1), workspace("/c", 0)]));
  type Tree = [string, Tree[]];
  const shape = (nodes: Node[]): Tree[] => nodes.map(node => node.kind === "workspace" ? [node.workspace.path, shape(node.children)] : ["", []]);
  assert.deepEqual(shape(tree), [["/r", [["/a", [["/a1", []]]], ["/b", []]]], ["/c", []]]);
});

test("no workspace is lost in a large tree", () => {
  const tree = nest(repository(Array.from({ length: 500 }, (_, i) => workspace(`/w${i}`, i % 7))));
  const count = (nodes: Node[]): number => nodes.reduce((sum, node) => sum + 1 + (node.kind === "workspace" ? count(node.children) : 0), 0);
  assert.equal(count(tree), 500);
});

test("a workspace that cannot be forked has the entry with its reason, and says it aloud", () => {
  const node: Node = { kind: "workspace", repository: repository([]), children: [], workspace: workspace("/r", 0, {
    detached: true, branch: "", fork: { allowed: false, hidden: false, reason: { code: "detached", message: "On no branch.", remedy: "Check one out." } },
  }) };
  assert.match(said(node).context, /\bwhy-detached\b/);
  assert.doesNotMatch(said(node).context, /\bforkable\b/);
  assert.match(said(node).tooltip, /On no branch\. Check one out\./);
  assert.match(said(node).spoken, /On no branch/);
  node.workspace.fork.reason!.code = "gitFailed";
  assert.match(said(node).context, /\bwhy-other\b/);
});

test("a hidden workspace has no entry at all", () => {
  const node: Node = { kind: "workspace", repository: repository([]), children: [], workspace: workspace("/r", 0, { fork: { allowed: false, hidden: true } }) };
  assert.doesNotMatch(said(node).context, /forkable|why-/);
});

test("an archived workspace has a way back and none that needs its folder", () => {
  const archived: Node = { kind: "workspace", repository: repository([]), children: [], workspace: workspace("/r", 1, {
    archived: true, missing: true, locked: true, fork: { allowed: false, hidden: false, reason: { code: "archived", message: "Archived." } },
  }) };
  assert.match(said(archived).context, /(^| )archived( |$)/);
  assert.match(said(archived).context, /\bwhy-archived\b/);
  assert.doesNotMatch(said(archived).context, /present|forkable/);
  assert.match(said(archived).description, /archived$/);
});

test("live agents are counted, and a live session says what it does and is not to be resumed", () => {
  const w = workspace("/r", 0, { agentsLive: 2 });
  assert.match(said({ kind: "workspace", repository: repository([]), children: [], workspace: w }).description, /2 live agents/);
  const live = said({ kind: "session", workspace: w, session: session({ state: "live", status: "waiting" }) });
  assert.match(live.description, /claude · waits for you/);
  assert.doesNotMatch(live.context, /resumable/);
  assert.match(said({ kind: "session", workspace: w, session: session() }).context, /resumable/);
  assert.doesNotMatch(said({ kind: "session", workspace: w, session: session({ state: "unknown" }) }).context, /resumable/);
});

test("a session that cannot be forked says why, and one of a workspace that cannot has no entry that could", () => {
  const none = said({ kind: "session", workspace: workspace("/r", 0), session: session({ fork: { kind: "none", reason: { code: "sessionBroken", message: "Broken." } } }) });
  assert.match(none.context, /\bunforkable\b/);
  assert.match(none.tooltip, /Broken\./);
  const blocked = workspace("/r", 0, { fork: { allowed: false, hidden: false, reason: { code: "detached", message: "." } } });
  assert.match(said({ kind: "session", workspace: blocked, session: session() }).context, /\bunforkable\b/);
});

test("hostile titles and names are only words", () => {
  const w = said({ kind: "session", workspace: workspace("/r", 0), session: session({ title: "[x](command:y)\n\x1b]0;z\x07$(bug)" }) });
  assert.equal(w.label, "[x] (command:y) ]0;z $ (bug)");
  assert.doesNotMatch(w.tooltip + w.spoken, /\]\(|\x1b/);
});
