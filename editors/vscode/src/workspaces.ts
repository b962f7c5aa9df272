import * as vscode from "vscode";
import type { Operations } from "./operations";
import { openShell } from "./terminals";
import { forceKinds, type Comparison, type Removal, type Workspace } from "./wire";
import { failureText, plain, sentence } from "./words";
import { Refused, type Sidecar } from "./sidecar";
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

export async function archive(sidecar: Sidecar, view: View, workspace: Workspace, archived: boolean): Promise<void> {
  await sidecar.ask("sidefork.archive", { workspace: workspace.path, archived });
  view.refresh();
}

/** Removes a workspace, once the user has confirmed it; what would be lost is named, and only what is ticked is forced. */
export async function remove(sidecar: Sidecar, operations: Operations, view: View, workspace: Workspace): Promise<void> {
  const [folder, both] = [t("Remove"), t("Remove with Its Branch")];
  const chosen = await vscode.window.showWarningMessage(t("Remove the workspace {0}?", nameOf(workspace)), {
    modal: true, detail: t("The folder {0} goes. Nothing goes that would lose work: that is asked first.", plain(workspace.path)),
  }, folder, ...workspace.branch ? [both] : []);
  if (!chosen) return;
  const branch = chosen === both;
  let force: string[] = [];
  const repository = (await view.all()).find(one => one.workspace.path === workspace.path)?.repository.root ?? workspace.path;
  const title = t("Removing {0}", nameOf(workspace));
  for (;;) {
    try {
      const answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true },
        (progress, cancel) => operations.run(title, repository, operationId => sidecar.ask<Removal & { status?: string }>("sidefork.remove",
          { workspace: workspace.path, branch, operationId, ...force.length > 0 && { force } }, { cancel, progress: message => progress.report({ message }) })));
      if (!answer) return;
      const done = answer.result;
      view.refresh();
      if (done.status === "cancelled") return;
      for (const warning of done.warnings ?? []) void vscode.window.showWarningMessage(sentence(warning));
      return await tellRemoved(workspace, done);
    } catch (why) {
      if (!(why instanceof Refused)) throw why;
      const reasons = why.failure.reasons?.length ? why.failure.reasons : [why.failure.reason];
      const forcible = reasons.filter(reason => forceKinds.includes(reason.code) && !force.includes(reason.code));
      if (why.failure.effect !== "nothing" || forcible.length < reasons.filter(reason => !force.includes(reason.code)).length || forcible.length === 0) {
        return void vscode.window.showErrorMessage(failureText(why.failure, t));
      }
      const ticked = await vscode.window.showQuickPick(
        forcible.map(reason => ({ label: plain(reason.message), description: reason.code, detail: plain(reason.remedy ?? "") })),
        { title: t("Work would be lost in {0}", nameOf(workspace)), placeHolder: t("Tick all that is to be forced; work is stored under a ref first"), canPickMany: true, ignoreFocusOut: true });
      if (!ticked || ticked.length === 0) return;
      force = [...force, ...ticked.map(item => item.description)];
    }
  }
}

async function tellRemoved(workspace: Workspace, done: Removal): Promise<void> {
  const copy = t("Copy the Commands That Restore It");
  const lost = done.lost.length > 0 ? " " + t("Not stored: {0}", done.lost.slice(0, 3).map(one => plain(one.path)).join(", ") + (done.lost.length > 3 ? " …" : "")) : "";
  const text = done.saved
    ? t("{0} was removed. Its work is stored as {1}.", nameOf(workspace), plain(done.saved)) : t("{0} was removed.", nameOf(workspace));
  const chosen = await vscode.window.showInformationMessage(text + lost, ...done.saved && done.restore.length > 0 ? [copy] : []);
  if (chosen === copy) await vscode.env.clipboard.writeText(done.restore.map(argv => argv.map(quoted).join(" ")).join("\n") + "\n");
}

/** A word for a POSIX shell, to be read and pasted by a person. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
