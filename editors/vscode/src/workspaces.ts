import * as vscode from "vscode";
import type { Operations } from "./operations";
import { openShell } from "./terminals";
import { type Asking, Refused, type Sidecar } from "./sidecar";
import { type Archived, archiveForces, type Comparison, type Removal, removalForces, type Workspace } from "./wire";
import { plain, sentence } from "./words";
import { nameOf, type View } from "./view";

const { t } = vscode.l10n;

// What the menus of a workspace do, beside forking. What may be done is the sidecar's to say; here it is asked, and what it
// refuses is shown.

/** The part of the git extension's interface (version 1) that is used here. */
interface Git {
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
  openRepository(root: vscode.Uri): Promise<unknown>;
}

export async function git(): Promise<Git | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): Git }>("vscode.git");
  try {
    return (await extension?.activate())?.getAPI(1);
  } catch {
    return undefined; // git is switched off by the setting git.enabled
  }
}

export async function openFolder(workspace: Workspace, how: "newWindow" | "here" | "add"): Promise<void> {
  const uri = vscode.Uri.file(workspace.path);
  if (how === "add") vscode.workspace.updateWorkspaceFolders(vscode.workspace.workspaceFolders?.length ?? 0, 0, { uri, name: nameOf(workspace) });
  else await vscode.commands.executeCommand("vscode.openFolder", uri, how === "newWindow" ? { forceNewWindow: true } : { forceReuseWindow: true });
}

export function openTerminal(workspace: Workspace): void {
  openShell(workspace.path, workspace.name);
}

/** All that a workspace has changed against its parent's branch, or against another workspace, in one editor. */
export async function compare(sidecar: Sidecar, workspace: Workspace, other?: Workspace): Promise<void> {
  const found = await sidecar.ask<Comparison>("sidefork.compare", { workspace: workspace.path, ...other && { with: other.path } });
  const against = other ? nameOf(other) : plain(found.branch ?? found.with ?? found.base.slice(0, 8));
  if (found.files.length === 0) {
    return void vscode.window.showInformationMessage(t("{0} has changed nothing against {1}.", nameOf(workspace), against));
  }
  const api = await git();
  if (!api) return void vscode.window.showErrorMessage(t("Comparing needs the git extension of the editor, which is switched off."));
  await api.openRepository(vscode.Uri.file(workspace.path)); // else nobody serves its files as they were
  const top = vscode.Uri.file(workspace.path);
  const rows = found.files.map(file => {
    const now = vscode.Uri.joinPath(top, file.path);
    const was = api.toGitUri(vscode.Uri.joinPath(top, file.oldPath ?? file.path), found.base);
    const isNew = file.change === "added" || file.change === "untracked";
    return [now, isNew ? undefined : was, file.change === "deleted" ? undefined : now];
  });
  await vscode.commands.executeCommand("vscode.changes", t("{0} against {1}", nameOf(workspace), against), rows);
}

/** Another workspace of the same repository, chosen by the user. */
export async function chooseSibling(view: View, workspace: Workspace, title: string, first: vscode.QuickPickItem[] = []): Promise<(vscode.QuickPickItem & { workspace?: Workspace }) | undefined> {
  const all = await view.all();
  const mine = all.find(one => one.workspace.path === workspace.path)?.repository.gitDir;
  const items = all.filter(one => one.repository.gitDir === mine && one.workspace.path !== workspace.path)
    .map(one => ({ label: nameOf(one.workspace), description: plain(one.workspace.branch), detail: plain(one.workspace.path), workspace: one.workspace }));
  return await vscode.window.showQuickPick<vscode.QuickPickItem & { workspace?: Workspace }>([...items, ...first], { title, placeHolder: nameOf(workspace), matchOnDescription: true, matchOnDetail: true });
}

export async function setParent(sidecar: Sidecar, view: View, workspace: Workspace): Promise<void> {
  const chosen = await chooseSibling(view, workspace, t("Which workspace is the parent?"), [{ label: t("No parent") }]);
  if (!chosen) return;
  await sidecar.ask("sidefork.adopt", { workspace: workspace.path, parent: chosen.workspace?.path ?? null });
  view.refresh();
}

/** Frees the folder of a workspace, or brings it back. */
export async function archive(sidecar: Sidecar, operations: Operations, view: View, workspace: Workspace, archived: boolean): Promise<void> {
  const title = archived ? t("Archiving {0}", nameOf(workspace)) : t("Restoring {0}", nameOf(workspace));
  const done = await forcing<Archived>(operations, view, workspace, title, archiveForces, (argument, how) =>
    sidecar.ask("sidefork.archive", { ...argument, archived }, how));
  view.refresh();
  if (!done) return;
  for (const warning of done.warnings ?? []) void vscode.window.showWarningMessage(sentence(warning));
  void vscode.window.showInformationMessage((archived ? t("{0} is archived.", nameOf(workspace)) : t("{0} is restored.", nameOf(workspace))) + lostText(done.lost));
}

/** Removes a workspace, once the user has confirmed it. */
export async function remove(sidecar: Sidecar, operations: Operations, view: View, workspace: Workspace): Promise<void> {
  const [folder, both] = [t("Remove"), t("Remove with Its Branch")];
  const chosen = await vscode.window.showWarningMessage(t("Remove the workspace {0}?", nameOf(workspace)), {
    modal: true, detail: t("The folder {0} goes. Nothing goes that would lose work: that is asked first.", plain(workspace.path)),
  }, folder, ...workspace.branch ? [both] : []);
  if (!chosen) return;
  const done = await forcing<Removal>(operations, view, workspace, t("Removing {0}", nameOf(workspace)), removalForces, (argument, how) =>
    sidecar.ask("sidefork.remove", { ...argument, branch: chosen === both }, how));
  view.refresh();
  if (!done) return;
  for (const warning of done.warnings ?? []) void vscode.window.showWarningMessage(sentence(warning));
  await tellRemoved(workspace, done);
}

interface Forcing { workspace: string; operationId: string; repository?: string; force?: string[] }

/**
 * Asks for something by which work may be lost. What is refused is named, and only what the user ticks of it is forced, one
 * question more for whatever comes up then. undefined: it was not done, which the user knows.
 */
async function forcing<Result extends object>(
  operations: Operations, view: View, workspace: Workspace, title: string, forces: string[], ask: (argument: Forcing, how: Asking) => Promise<Result & { status?: string }>,
): Promise<Result | undefined> {
  const repository = (await view.all()).find(one => one.workspace.path === workspace.path)?.repository.root;
  const force: string[] = [];
  for (;;) {
    try {
      const answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, cancel) =>
        operations.run(title, repository ?? workspace.path, operationId => ask(
          { workspace: workspace.path, operationId, ...workspace.missing && repository !== undefined && { repository }, ...force.length > 0 && { force } },
          { cancel, progress: message => progress.report({ message }) })));
      return answer?.result.status === "cancelled" ? undefined : answer?.result;
    } catch (why) {
      if (!(why instanceof Refused)) throw why;
      const { effect, reasons, reason } = why.failure;
      const open = (reasons?.length ? reasons : [reason]).filter(one => !force.includes(one.code));
      if (effect !== "nothing" || open.length === 0 || !open.every(one => forces.includes(one.code))) throw why;
      const ticked = await vscode.window.showQuickPick(
        open.map(one => ({ label: plain(one.message), description: one.code, detail: plain(one.remedy ?? "") })),
        { title: `${title}: ${t("work would be lost")}`, placeHolder: t("Tick all that is to be forced"), canPickMany: true, ignoreFocusOut: true });
      if (!ticked || ticked.length === 0) return undefined;
      force.push(...ticked.map(item => item.description));
    }
  }
}

function lostText(lost: { path: string }[]): string {
  return lost.length > 0 ? " " + t("Not stored: {0}", lost.slice(0, 3).map(one => plain(one.path)).join(", ") + (lost.length > 3 ? " …" : "")) : "";
}

async function tellRemoved(workspace: Workspace, done: Removal): Promise<void> {
  const copy = t("Copy the Commands That Restore It");
  const text = done.saved
    ? t("{0} was removed. Its work is stored as {1}.", nameOf(workspace), plain(done.saved)) : t("{0} was removed.", nameOf(workspace));
  const chosen = await vscode.window.showInformationMessage(text + lostText(done.lost), ...done.saved && done.restore.length > 0 ? [copy] : []);
  if (chosen === copy) await vscode.env.clipboard.writeText(done.restore.map(argv => argv.map(quoted).join(" ")).join("\n") + "\n");
}

/** A word for a POSIX shell, to be read and pasted by a person. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
