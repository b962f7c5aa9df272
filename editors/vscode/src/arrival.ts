import * as vscode from "vscode";
import { giveDraft, openDefaults, openShell, startAgent } from "./terminals";
import type { ForkResult } from "./wire";
import { plain } from "./words";

const { t } = vscode.l10n;

// What a fork has made is opened: here, or in the window that opens with the child as its folder. That window finds what to
// start in the extension's own storage, once.

type Child = Pick<ForkResult, "launch" | "session" | "draft" | "terminals"> & { name: string; folder: string };

const key = "arrivals";
const keepFor = 5 * 60_000;

type Waiting = Record<string, { at: number; child: Child }>;

type Opening = "newWindow" | "sameWindow" | "addToWorkspace" | "stay";

/** What the user has set. */
export const opening = () => vscode.workspace.getConfiguration("sidefork").get<Opening>("open.child", "newWindow");

export function childOf(result: Partial<ForkResult>): Child | undefined {
  if (!result.workspace) return undefined;
  const { launch, session, draft, terminals } = result;
  return {
    name: result.workspace.name, folder: result.workspace.path,
    ...launch && { launch }, ...session && { session }, ...draft !== undefined && { draft }, ...terminals && { terminals },
  };
}

/** Opens a child as the user has set it. Gives its agent's terminal, where that is in this window. */
export async function openChild(child: Child, opening: Opening, storage: vscode.Memento): Promise<vscode.Terminal | undefined> {
  const uri = vscode.Uri.file(child.folder);
  const folders = vscode.workspace.workspaceFolders ?? [];
  const open = folders.some(folder => folder.uri.fsPath === child.folder);
  // From one folder to two, or from none, the editor starts its extensions again: that is another window for us.
  const restarts = vscode.workspace.workspaceFile === undefined && folders.length < 2;
  if (opening === "stay" || open) return arrive(child);
  if (opening === "addToWorkspace") {
    if (restarts) await leave(child, storage);
    vscode.workspace.updateWorkspaceFolders(folders.length, 0, { uri, name: plain(child.name) });
    return restarts ? undefined : arrive(child);
  }
  await leave(child, storage);
  await vscode.commands.executeCommand("vscode.openFolder", uri, opening === "newWindow" ? { forceNewWindow: true } : { forceReuseWindow: true });
  return undefined;
}

/** Starts what belongs to a child in this window. */
export function arrive(child: Child): vscode.Terminal | undefined {
  openDefaults(child.terminals ?? []);
  const agent = child.launch && startAgent({ name: `${child.session?.agent ?? t("agent")} · ${child.name}`, ...child.session && { session: child.session }, launch: child.launch });
  // Without an agent the child has at least a shell.
  if (!agent && (child.terminals ?? []).length === 0) openShell(child.folder, child.name);
  if (child.draft) void giveDraft(child.draft, agent);
  return agent;
}

async function leave(child: Child, storage: vscode.Memento): Promise<void> {
  await storage.update(key, { ...fresh(storage), [child.folder]: { at: Date.now(), child } });
}

function fresh(storage: vscode.Memento): Waiting {
  return Object.fromEntries(Object.entries(storage.get<Waiting>(key, {})).filter(([, one]) => Date.now() - one.at < keepFor));
}

/** What waits for the folders of this window is started, and waits no more. */
export async function arrivals(storage: vscode.Memento): Promise<void> {
  if (Object.keys(storage.get<Waiting>(key, {})).length === 0) return;
  const waiting = fresh(storage);
  const mine = (vscode.workspace.workspaceFolders ?? []).map(folder => folder.uri.fsPath).filter(folder => waiting[folder]);
  const here = mine.map(folder => waiting[folder]!.child);
  mine.forEach(folder => delete waiting[folder]);
  await storage.update(key, Object.keys(waiting).length > 0 ? waiting : undefined);
  for (const child of here) {
    const agent = arrive(child);
    // A window that is still being drawn gives the focus to nothing: once more when the agent runs.
    void agent?.processId.then(() => agent.show());
  }
}
