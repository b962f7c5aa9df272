import * as vscode from "vscode";
import type { Sidecar } from "./sidecar";
import type { Comparison, Workspace } from "./wire";
import { isIn, nameOf, type View } from "./view";
import { git } from "./workspaces";

const { t } = vscode.l10n;

/**
 * Marks in the editor's margin what a forked workspace has changed against the commit that it shares with its parent: an
 * option, since the editor shows an entry more in source control for it.
 */
export class QuickDiff implements vscode.Disposable {
  private readonly controls = new Map<string, vscode.SourceControl>();
  private readonly own: vscode.Disposable[] = [];

  constructor(private readonly sidecar: Sidecar, private readonly view: View) {
    this.own.push(
      vscode.workspace.onDidChangeConfiguration(e => e.affectsConfiguration("sidefork.quickDiff") && void this.update()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.update()),
      sidecar.onUp(up => up && void this.update()),
      sidecar.onChanged(what => what.what === "workspaces" && void this.update()),
    );
  }

  private async update(): Promise<void> {
    const wanted = new Map<string, Workspace>();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (!vscode.workspace.getConfiguration("sidefork", folder.uri).get("quickDiff", false)) continue;
      const workspace = await this.view.at(folder.uri.fsPath).catch(() => undefined);
      if (workspace?.parent) wanted.set(workspace.path, workspace);
    }
    for (const [path, control] of this.controls) {
      if (!wanted.has(path)) {
        control.dispose();
        this.controls.delete(path);
      }
    }
    for (const workspace of wanted.values()) {
      if (!this.controls.has(workspace.path)) await this.mark(workspace).catch(() => {}); // without a comparison there are no marks
    }
  }

  private async mark(workspace: Workspace): Promise<void> {
    const [api, found] = [await git(), await this.sidecar.ask<Comparison>("sidefork.compare", { workspace: workspace.path })];
    if (!api || this.controls.has(workspace.path)) return;
    const control = vscode.scm.createSourceControl("sidefork", t("{0} against its parent", nameOf(workspace)), vscode.Uri.file(workspace.path));
    control.inputBox.visible = false;
    control.quickDiffProvider = {
      provideOriginalResource: uri => uri.scheme === "file" && isIn(uri.fsPath, workspace.path) ? api.toGitUri(uri, found.base) : undefined,
    };
    this.controls.set(workspace.path, control);
  }

  dispose(): void {
    this.controls.forEach(control => control.dispose());
    this.own.forEach(one => one.dispose());
  }
}
