import * as vscode from "vscode";
import type { Command } from "./extension";
import { Forks, type Source } from "./fork";
import type { Node } from "./nodes";
import { Operations, saying } from "./operations";
import { QuickDiff } from "./quickdiff";
import { resume } from "./resume";
import { Lost, Sidecar } from "./sidecar";
import { type Integrated, Transcripts } from "./transcripts";
import { nameOf, View } from "./view";
import type { Located, Workspace } from "./wire";
import { plain } from "./words";
import * as workspaces from "./workspaces";

const { t } = vscode.l10n;

/** All of the extension, once it is needed: what its commands do. */
export class Main {
  private readonly log = vscode.window.createOutputChannel("Sidefork", { log: true });
  private readonly sidecar: Sidecar;
  readonly view: View;
  private readonly operations: Operations;
  private readonly forks: Forks;
  private readonly transcripts: Transcripts;
  private readonly quickDiff: QuickDiff;

  constructor(context: vscode.ExtensionContext, tree: vscode.TreeView<Node>, drawn: vscode.EventEmitter<Node | undefined>) {
    this.sidecar = new Sidecar(context, this.log);
    this.view = new View(this.sidecar, this.log, tree, drawn);
    this.operations = new Operations(this.sidecar, context.workspaceState, context.globalState);
    this.forks = new Forks(this.sidecar, this.operations, context);
    this.transcripts = new Transcripts(this.sidecar);
    this.quickDiff = new QuickDiff(this.sidecar, this.view);
  }

  /** Starts the sidecar, for what a window has to know without being asked: what was left, and marks in the margin. */
  async start(): Promise<void> {
    await this.sidecar.ready().catch(() => {}); // was told
  }

  /** Runs a command of the menus. What goes wrong is said, once. */
  async run(command: Command, args: unknown[]): Promise<void> {
    try {
      await this.does(command, args[0]);
    } catch (why) {
      if (why instanceof Lost && !why.started) return; // the sidecar's own message has said it
      this.log.error(command, saying(why));
      void vscode.window.showErrorMessage(saying(why));
    }
  }

  private async does(command: Command, on: unknown): Promise<void> {
    switch (command) {
      case "refresh": return this.view.refresh();
      case "restart": return await this.sidecar.restart();
      case "showLog": return this.log.show();
      case "more": return isNode(on) ? this.view.more(on) : undefined;
      case "forkSession": {
        const source = await this.source(on);
        return source && await this.forks.ask(source);
      }
      case "copyId": return isNode(on) && on.kind === "session" ? await vscode.env.clipboard.writeText(on.session.id) : undefined;
      case "resumeSession": return isNode(on) && on.kind === "session" ? await resume(this.sidecar, on.session, on.workspace) : undefined;
    }
    const workspace = isNode(on) && on.kind === "workspace" ? on.workspace : await this.chosen();
    if (!workspace) return;
    switch (command) {
      case "openNewWindow": return await workspaces.openFolder(workspace, "newWindow");
      case "openHere": return await workspaces.openFolder(workspace, "here");
      case "addToWorkspace": return await workspaces.openFolder(workspace, "add");
      case "openTerminal": return workspaces.openTerminal(workspace);
      case "compareWithParent": return await workspaces.compare(this.sidecar, workspace);
      case "compareWith": {
        const other = await workspaces.chooseSibling(this.view, workspace, t("Compare with which workspace?"));
        return other?.workspace && await workspaces.compare(this.sidecar, workspace, other.workspace);
      }
      case "setParent": return await workspaces.setParent(this.sidecar, this.view, workspace);
      case "archiveWorkspace": return await workspaces.archive(this.sidecar, this.operations, this.view, workspace, true);
      case "restoreWorkspace": return await workspaces.archive(this.sidecar, this.operations, this.view, workspace, false);
      case "removeWorkspace": return await workspaces.remove(this.sidecar, this.operations, this.view, workspace);
      case "copyPath": return await vscode.env.clipboard.writeText(workspace.path);
      case "copyBranch": return await vscode.env.clipboard.writeText(workspace.branch);
    }
  }

  /** What a fork is of, by what the entry was used on: a node, a terminal, a repository of source control, a folder, a tab. */
  private async source(on: unknown): Promise<Source | undefined> {
    if (isNode(on)) {
      if (on.kind === "workspace") return { workspace: on.workspace.path };
      if (on.kind === "session") return { workspace: on.workspace.path, session: { agent: on.session.agent, id: on.session.id } };
      return undefined;
    }
    if (isTerminal(on)) return await this.ofTerminal(on);
    if (isSourceControl(on) && on.rootUri) return { workspace: on.rootUri.fsPath };
    if (on instanceof vscode.Uri && on.scheme === "file") return { workspace: (await this.view.at(on.fsPath))?.path ?? on.fsPath };
    const workspace = await this.chosen();
    if (!workspace) return undefined;
    const thread = on instanceof vscode.Uri && on.scheme === "openai-codex" ? /^\/local\/([0-9a-f-]{36})$/.exec(on.path)?.[1] : undefined;
    return { workspace: workspace.path, ...thread !== undefined && { session: { agent: "codex", id: thread } } };
  }

  private async ofTerminal(terminal: vscode.Terminal): Promise<Source | undefined> {
    const pid = await terminal.processId;
    const located = pid === undefined ? null : await this.sidecar.ask<Located | null>("sidefork.locate", { pid });
    const options = terminal.creationOptions as vscode.TerminalOptions;
    const folder = (terminal as Integrated).shellIntegration?.cwd?.fsPath ?? (options.cwd instanceof vscode.Uri ? options.cwd.fsPath : options.cwd);
    const workspace = located?.session.workspace ?? (folder && (await this.view.at(folder))?.path) ?? (await this.chosen())?.path;
    if (!workspace) return undefined;
    const transcript = located ? undefined : this.transcripts.of(terminal);
    if (transcript) return { workspace, transcript, ...pid !== undefined && { pid } };
    if (!located) void vscode.window.showInformationMessage(this.transcripts.whyNot(terminal));
    return { workspace, ...pid !== undefined && { pid } };
  }

  /** The workspace of this window; where there are several, the one that the user chooses. */
  private async chosen(): Promise<Workspace | undefined> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const all = await this.view.all();
    const active = vscode.window.activeTextEditor?.document.uri;
    if (folders.length === 1) {
      const only = await this.view.at(folders[0]!.uri.fsPath);
      if (only) return only;
    }
    if (all.length === 0) {
      // What the sidecar says of the folder is better than what could be said here.
      const folder = folders[0]?.uri.fsPath;
      if (folder) return (await this.sidecar.ask<{ workspace: Workspace }>("sidefork.inspect", { workspace: folder })).workspace;
      void vscode.window.showInformationMessage(t("Open a folder of a git repository first."));
      return undefined;
    }
    const first = active?.scheme === "file" ? (await this.view.at(active.fsPath))?.path : undefined;
    const items = all.map(({ workspace }) => ({ label: nameOf(workspace), description: plain(workspace.branch), detail: plain(workspace.path), workspace }));
    items.sort((a, b) => Number(b.workspace.path === first) - Number(a.workspace.path === first));
    return (await vscode.window.showQuickPick(items, { title: t("Which workspace?"), matchOnDescription: true, matchOnDetail: true }))?.workspace;
  }

  /** The profile of a terminal in which an agent is recorded: `sidefork run -- AGENT`. */
  async recorded(cancel: vscode.CancellationToken): Promise<vscode.TerminalProfile | undefined> {
    try {
      return await this.transcripts.profile(cancel);
    } catch (why) {
      if (!(why instanceof Lost)) void vscode.window.showErrorMessage(saying(why));
      return undefined;
    }
  }

  async dispose(): Promise<void> {
    for (const one of [this.quickDiff, this.transcripts, this.forks, this.operations, this.view]) one.dispose();
    await this.sidecar.dispose();
    this.log.dispose();
  }
}

function isNode(on: unknown): on is Node {
  return typeof on === "object" && on !== null && ["repository", "workspace", "session", "more", "note"].includes((on as { kind?: string }).kind ?? "");
}

function isTerminal(on: unknown): on is vscode.Terminal {
  return typeof on === "object" && on !== null && "processId" in on && "creationOptions" in on;
}

function isSourceControl(on: unknown): on is vscode.SourceControl {
  return typeof on === "object" && on !== null && "rootUri" in on;
}
