import type { Repository, Session, Workspace } from "./wire";
import { type Age, cut, plain, sentence, type Translate } from "./words";

// What the view of workspaces shows, as data: the sidecar's lists as a tree, and each node's words. view.ts draws it.

export type Node =
  | { kind: "repository"; repository: Repository }
  | { kind: "workspace"; workspace: Workspace; repository: Repository; children: Node[] }
  | { kind: "session"; session: Session; workspace: Workspace }
  | { kind: "more"; workspace: Workspace; cursor: string }
  | { kind: "note"; text: string; workspace: Workspace };

export interface Words {
  id: string;
  label: string;
  description: string;
  tooltip: string;
  /** What a screen reader says. */
  spoken: string;
  icon: string;
  /** A colour of the theme for the icon. */
  colour?: string;
  /** Words that the menus go by: viewItem. */
  context: string;
}

/** The workspaces of a repository, each below its parent. The list is in the tree's order, with depths. */
export function nest(repository: Repository): Extract<Node, { kind: "workspace" }>[] {
  const roots: Extract<Node, { kind: "workspace" }>[] = [];
  const path: Extract<Node, { kind: "workspace" }>[] = [];
  for (const workspace of repository.workspaces) {
    const node = { kind: "workspace" as const, workspace, repository, children: [] };
    path.length = Math.min(path.length, Math.max(0, workspace.depth));
    (path.at(-1)?.children ?? roots).push(node);
    path.push(node);
  }
  return roots;
}

/** The reasons that have an entry of their own in the menus: package.json. */
export const shownReasons = ["detached", "unborn", "bare", "missing", "archived", "operationInProgress"];

/** Which of the disabled entries a workspace gets; undefined: it can be forked. */
export function blocked(workspace: Workspace): string | undefined {
  if (workspace.fork.allowed) return undefined;
  const code = workspace.fork.reason?.code ?? "other";
  return shownReasons.includes(code) ? code : "other";
}

export function words(node: Node, now: number, age: Age, t: Translate): Words {
  switch (node.kind) {
    case "repository": return repositoryWords(node.repository, t);
    case "workspace": return workspaceWords(node.workspace, t);
    case "session": return sessionWords(node.session, node.workspace, now, age, t);
    case "more": return note(`more:${node.workspace.path}`, t("Show more sessions"), "ellipsis", "more");
    case "note": return note(`note:${node.workspace.path}:${node.text}`, plain(node.text), "info", "note");
  }
}

function note(id: string, label: string, icon: string, context: string): Words {
  return { id, label, description: "", tooltip: label, spoken: label, icon, context };
}

function repositoryWords(repository: Repository, t: Translate): Words {
  const name = plain(base(repository.root));
  return {
    id: `repository:${repository.gitDir}`, label: name, description: plain(parent(repository.root)), tooltip: plain(repository.root),
    spoken: t("repository {0}", name), icon: "repo", context: "repository",
  };
}

function workspaceWords(w: Workspace, t: Translate): Words {
  const name = plain(w.name);
  const states = [
    w.detached ? t("on no branch, at {0}", w.head.slice(0, 8)) : plain(w.branch) === name ? "" : plain(w.branch),
    w.agentsLive === 1 ? t("1 live agent") : w.agentsLive > 1 ? t("{0} live agents", w.agentsLive) : "",
    ...w.archived ? [t("archived")] : [w.missing ? t("missing") : "", w.locked ? t("locked") : ""],
  ].filter(word => word !== "");
  const why = w.fork.reason && !w.fork.allowed ? `${t("It cannot be forked.")} ${sentence(w.fork.reason)}` : "";
  const why_ = blocked(w);
  const here = !w.missing && !w.archived;
  return {
    id: `workspace:${w.path}`, label: name, description: states.join(" · "),
    tooltip: [plain(w.path), ...w.branch ? [t("branch {0}", plain(w.branch))] : [], ...w.parent ? [t("forked from {0}", plain(w.parent))] : [], why].filter(line => line !== "").join("\n"),
    spoken: [t("workspace {0}", name), ...states, why].filter(word => word !== "").join(", "),
    icon: w.archived ? "archive" : w.missing ? "warning" : w.main ? "root-folder" : "git-branch",
    ...w.agentsLive > 0 && { colour: "charts.green" },
    context: [
      "workspace", w.main ? "main" : "linked", ...w.fork.hidden ? [] : why_ === undefined ? ["forkable"] : [`why-${why_}`],
      ...w.parent ? ["child"] : [], ...here ? ["present"] : [], ...w.archived ? ["archived"] : [], ...w.branch ? ["branch"] : [],
    ].join(" "),
  };
}

const agentIcons: Record<string, string> = { claude: "sparkle", codex: "hubot", opencode: "code", pi: "symbol-numeric" };

function sessionWords(s: Session, w: Workspace, now: number, age: Age, t: Translate): Words {
  const title = cut(plain(s.title || s.firstPrompt) || plain(s.id), 120);
  const agent = plain(s.agent);
  const state = s.state === "live"
    ? { idle: t("idle"), busy: t("busy"), waiting: t("waits for you"), "": t("live") }[s.status ?? ""] ?? t("live")
    : s.state === "unknown" ? t("may be live") : "";
  const when = age(s.lastActivity, now);
  const why = s.fork.kind === "none" && s.fork.reason ? `${t("It cannot be forked.")} ${sentence(s.fork.reason)}` : "";
  return {
    id: `session:${w.path}:${s.agent}:${s.id}`, label: title, description: [agent, state, when].filter(word => word !== "").join(" · "),
    tooltip: [title, `${agent} ${plain(s.id)}`, ...s.branch ? [t("branch {0}", plain(s.branch))] : [], why].filter(line => line !== "").join("\n"),
    spoken: [t("session of {0}", agent), title, state, when, why].filter(word => word !== "").join(", "),
    icon: s.state === "live" ? agentIcons[s.agent] ?? "comment-discussion" : s.fork.kind === "none" ? "circle-slash" : agentIcons[s.agent] ?? "comment-discussion",
    ...s.state === "live" && { colour: s.status === "waiting" ? "charts.yellow" : "charts.green" },
    // A session's own entry takes its workspace's reasons too: what cannot be forked there has none that can.
    context: ["session", s.fork.kind !== "none" && w.fork.allowed ? "forkable" : "unforkable", ...s.state === "ended" ? ["resumable"] : []].join(" "),
  };
}

function base(path: string): string {
  return path.split(/[\\/]/).filter(part => part !== "").at(-1) ?? path;
}

function parent(path: string): string {
  return path.replace(/[\\/][^\\/]*[\\/]?$/, "");
}
