import * as vscode from "vscode";
import { blocked, nest, type Node, shownReasons, words } from "./nodes";
import { Lost, type Sidecar } from "./sidecar";
import type { Repository, Sessions, Workspace, Workspaces } from "./wire";
import { ages, plain, sentence } from "./words";

const { t } = vscode.l10n;
const page = 50;
/** Up to so many workspaces the whole tree of lineage is open at first; of more, the way to the folders that are open. */
const openUpTo = 20;

/**
 * The view of workspaces. It asks when it is drawn and draws again when the sidecar says that something has changed; it
 * reads nothing itself.
 */
export class View implements vscode.Disposable {
  private readonly own: vscode.Disposable[] = [];
  private workspaceNodes = new Map<string, Extract<Node, { kind: "workspace" }>>();
  private readonly pages = new Map<string, number>(); // of the sessions of a workspace, where it is more than one
  private timer: NodeJS.Timeout | undefined;
  private readonly age = ages(vscode.env.language);
  private failed = false; // the last reading
  private warned = new Set<string>();

  constructor(
    private readonly sidecar: Sidecar, private readonly log: vscode.LogOutputChannel,
    private readonly tree: vscode.TreeView<Node>, private readonly drawn: vscode.EventEmitter<Node | undefined>,
  ) {
    this.own.push(
      sidecar.onChanged(what => what.what !== "form" && this.soon()),
      sidecar.onUp(up => {
        for (const feature of ["archive", "resume"]) void vscode.commands.executeCommand("setContext", `sidefork.feature.${feature}`, up?.features.includes(feature) ?? false);
        if (!up || this.failed) this.soon();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.soon()),
    );
  }

  /** All that happens together is drawn once. */
  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), 100);
  }

  refresh(): void {
    this.drawn.fire(undefined);
    // Nobody asks for the nodes of a view that is hidden; its badge and the other menus are seen all the same.
    if (!this.tree.visible) void this.read().then(repositories => this.badge(repositories), () => {});
  }

  /** The workspaces as the sidecar gives them now. */
  async read(): Promise<Repository[]> {
    const { repositories, warnings } = await this.sidecar.ask<Workspaces>("sidefork.workspaces", {});
    for (const warning of warnings ?? []) {
      const said = sentence(warning);
      this.log.warn(said);
      if (!this.warned.has(said)) void vscode.window.showWarningMessage(said);
      this.warned.add(said);
    }
    this.tell(repositories);
    return repositories;
  }

  /** The menus outside of the view know workspaces by their folders: which entries are off, and why. */
  private tell(repositories: Repository[]): void {
    const all = repositories.flatMap(one => one.workspaces);
    for (const code of [...shownReasons, "other"]) {
      void vscode.commands.executeCommand("setContext", `sidefork.blocked.${code}`,
        all.filter(w => blocked(w) === code).map(w => vscode.Uri.file(w.path))); // as strings they would be of this side of a remote
    }
    const folders = vscode.workspace.workspaceFolders ?? [];
    const roots = [...all.map(w => w.path), ...repositories.map(one => one.root)];
    void vscode.commands.executeCommand("setContext", "sidefork.noRepository",
      folders.filter(folder => !roots.some(root => isIn(folder.uri.fsPath, root))).map(folder => folder.uri));
  }

  async getChildren(node?: Node): Promise<Node[]> {
    try {
      return node ? await this.below(node) : await this.top();
    } catch (why) {
      if (node) return node.kind === "workspace" ? [{ kind: "note", workspace: node.workspace, text: why instanceof Error ? why.message : String(why) }] : [];
      this.failed = true;
      this.state(why instanceof Lost ? "down" : "failed");
      if (!(why instanceof Lost)) this.log.error(why instanceof Error ? why.message : String(why));
      this.badge([]);
      return [];
    }
  }

  private async top(): Promise<Node[]> {
    const repositories = await this.read();
    this.failed = false;
    this.badge(repositories);
    this.state(repositories.length === 0 ? "empty" : "shown");
    this.workspaceNodes.clear();
    const trees = repositories.map(repository => ({ repository, roots: nest(repository) }));
    const remember = (node: Node) => {
      if (node.kind !== "workspace") return;
      this.workspaceNodes.set(node.workspace.path, node);
      node.children.forEach(remember);
    };
    trees.forEach(tree => tree.roots.forEach(remember));
    return trees.length === 1 ? trees[0]!.roots : trees.map(({ repository }) => ({ kind: "repository", repository }));
  }

  private async below(node: Node): Promise<Node[]> {
    if (node.kind === "repository") return [...this.workspaceNodes.values()].filter(one => one.repository === node.repository && one.workspace.depth === 0);
    if (node.kind !== "workspace") return [];
    const { workspace } = node;
    return [...node.children, ...workspace.missing ? [] : await this.sessions(workspace)];
  }

  private async sessions(workspace: Workspace): Promise<Node[]> {
    const nodes: Node[] = [];
    let cursor: string | undefined;
    for (let i = 0; i < (this.pages.get(workspace.path) ?? 1); i++) {
      const answer: Sessions = await this.sidecar.ask("sidefork.sessions", { workspace: workspace.path, limit: page, ...cursor && { cursor } });
      nodes.push(...answer.sessions.map((session): Node => ({ kind: "session", session, workspace })));
      if (i === 0) nodes.push(...answer.problems.map((problem): Node => ({ kind: "note", workspace, text: `${problem.source}: ${problem.message}` })));
      cursor = answer.next;
      if (!cursor) break;
    }
    if (cursor) nodes.push({ kind: "more", workspace, cursor });
    return nodes;
  }

  /** One more page of the sessions of a workspace. */
  more(node: Node): void {
    if (node.kind !== "more") return;
    this.pages.set(node.workspace.path, (this.pages.get(node.workspace.path) ?? 1) + 1);
    this.drawn.fire(this.workspaceNodes.get(node.workspace.path));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const said = words(node, Date.now(), this.age, t);
    const item = new vscode.TreeItem(said.label, this.opened(node));
    item.id = said.id;
    item.description = said.description;
    item.tooltip = said.tooltip; // a string is text; markdown would not be
    item.contextValue = said.context;
    item.accessibilityInformation = { label: said.spoken };
    item.iconPath = new vscode.ThemeIcon(said.icon, said.colour ? new vscode.ThemeColor(said.colour) : undefined);
    if (node.kind === "more") item.command = { command: "sidefork.more", title: said.label, arguments: [node] };
    return item;
  }

  private opened(node: Node): vscode.TreeItemCollapsibleState {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    if (node.kind === "repository") return Expanded;
    if (node.kind !== "workspace") return None;
    if (node.workspace.missing && node.children.length === 0) return None;
    const here = (one: Node): boolean => one.kind === "workspace" && (isOpen(one.workspace.path) || one.children.some(here));
    return here(node) || node.children.length > 0 && node.repository.workspaces.length <= openUpTo ? Expanded : Collapsed;
  }

  private badge(repositories: Repository[]): void {
    const live = repositories.flatMap(one => one.workspaces).reduce((sum, w) => sum + w.agentsLive, 0);
    this.tree.badge = live > 0 ? { value: live, tooltip: live === 1 ? t("1 live agent") : t("{0} live agents", live) } : undefined;
  }

  private state(state: "empty" | "failed" | "down" | "shown"): void {
    void vscode.commands.executeCommand("setContext", "sidefork.state", state);
  }

  /** The workspace that a folder or file is in: the innermost. */
  async at(path: string): Promise<Workspace | undefined> {
    const all = (await this.read()).flatMap(one => one.workspaces);
    return all.filter(w => isIn(path, w.path)).sort((a, b) => b.path.length - a.path.length)[0];
  }

  /** All workspaces that are known, with their repository. */
  async all(): Promise<{ workspace: Workspace; repository: Repository }[]> {
    return (await this.read()).flatMap(repository => repository.workspaces.map(workspace => ({ workspace, repository })));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.own.forEach(one => one.dispose());
  }
}

export function isIn(path: string, folder: string): boolean {
  if (process.platform === "win32") [path, folder] = [path.toLowerCase(), folder.toLowerCase()];
  return path === folder || path.startsWith(folder.endsWith("/") || folder.endsWith("\\") ? folder : folder + (folder.includes("\\") ? "\\" : "/"));
}

function isOpen(path: string): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some(folder => isIn(folder.uri.fsPath, path));
}

/** A name to show of a workspace. */
export const nameOf = (workspace: Workspace) => plain(workspace.name);
