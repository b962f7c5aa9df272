import * as vscode from "vscode";
import { arrivals } from "./arrival";
import { hasLeft } from "./left";
import type { Main } from "./main";
import type { Node } from "./nodes";

// The start. Nothing is loaded or run here but what a window needs to know of: whether an agent is to start in it. All else
// comes when the view is opened or a command is used.

const commands = [
  "forkSession", "openNewWindow", "openHere", "addToWorkspace", "openTerminal", "resumeSession", "compareWithParent", "compareWith", "setParent",
  "archiveWorkspace", "restoreWorkspace", "removeWorkspace", "copyPath", "copyBranch", "copyId", "refresh", "more", "showLog", "restart",
] as const;

export type Command = typeof commands[number];

let main: Promise<Main> | undefined;

export function activate(context: vscode.ExtensionContext): void {
  let loaded: Main | undefined;
  const drawn = new vscode.EventEmitter<Node | undefined>();
  const load = () => main ??= import("./main").then(module => loaded = new module.Main(context, tree, drawn));
  const tree: vscode.TreeView<Node> = vscode.window.createTreeView("sidefork.workspaces", {
    showCollapseAll: true,
    treeDataProvider: {
      onDidChangeTreeData: drawn.event,
      getChildren: async node => (await load()).view.getChildren(node),
      getTreeItem: node => loaded!.view.getTreeItem(node), // whoever has a node has loaded
    },
  });
  context.subscriptions.push(
    tree, drawn,
    ...commands.map(name => vscode.commands.registerCommand("sidefork." + name, async (...args: unknown[]) => (await load()).run(name, args))),
    vscode.window.registerTerminalProfileProvider("sidefork.recorded", { provideTerminalProfile: async token => (await load()).recorded(token) }),
  );
  void arrivals(context.globalState);
  if (hasLeft(context.workspaceState) || vscode.workspace.getConfiguration("sidefork").get("quickDiff", false)) void load().then(loaded => loaded.start());
}

export async function deactivate(): Promise<void> {
  await (await main)?.dispose();
}
