import * as vscode from "vscode";
import type { Launch, SessionId, Terminal } from "./wire";
import { cut, plain } from "./words";

const { t } = vscode.l10n;

// Terminals that this extension opens: of agents by their argv, of workspaces, of what a repository wants opened.

const colours = ["terminal.ansiBlue", "terminal.ansiGreen", "terminal.ansiMagenta", "terminal.ansiCyan", "terminal.ansiYellow", "terminal.ansiRed"];

/** Each session has one colour, by its id. */
function colour(of: string): vscode.ThemeColor {
  let sum = 0;
  for (const c of of) sum = (sum * 31 + c.codePointAt(0)!) >>> 0;
  return new vscode.ThemeColor(colours[sum % colours.length]!);
}

export interface Agent { name: string; session?: Partial<SessionId>; launch: Launch }

/** Starts an agent in a terminal of its own: the program itself, with its arguments as they are, without a shell. */
export function startAgent(agent: Agent): vscode.Terminal | undefined {
  const { argv, cwd, env } = agent.launch;
  const [program, ...rest] = argv ?? [];
  if (program === undefined) return undefined;
  const inEditor = vscode.workspace.getConfiguration("sidefork").get("open.agent") !== "panel";
  const terminal = vscode.window.createTerminal({
    name: cut(plain(agent.name), 60), shellPath: program, shellArgs: rest,
    ...cwd !== undefined && { cwd: vscode.Uri.file(cwd) }, ...env && { env },
    iconPath: new vscode.ThemeIcon("repo-forked"), color: colour(agent.session?.id ?? cwd ?? agent.name),
    location: inEditor ? vscode.TerminalLocation.Editor : vscode.TerminalLocation.Panel,
    isTransient: true, // started again by a reload it would be another fork
  });
  terminal.show();
  return terminal;
}

/** A plain terminal in a folder. */
export function openShell(folder: string, name: string): vscode.Terminal {
  const terminal = vscode.window.createTerminal({ name: cut(plain(name), 60), cwd: vscode.Uri.file(folder) });
  terminal.show();
  return terminal;
}

/** The repository's default terminals. A command there is the repository's, was approved, and is for the user's shell. */
export function openDefaults(terminals: Terminal[]): void {
  for (const one of terminals) {
    const terminal = vscode.window.createTerminal({ name: cut(plain(one.title), 60), cwd: vscode.Uri.file(one.cwd) });
    terminal.show(true);
    if (one.commandLine) terminal.sendText(one.commandLine, true);
  }
}

/** Puts a text into a terminal's prompt as one paste, without an Enter. */
function paste(terminal: vscode.Terminal, text: string): void {
  // What could end the paste, or be a key, is none of the text.
  const clean = text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
  terminal.sendText(`\x1b[200~${clean}\x1b[201~`, false);
  terminal.show();
}

/** A transcript that the sidecar could not type: to the clipboard, with a notice that offers to paste it once the agent takes it. */
export async function giveDraft(draft: string, terminal: vscode.Terminal | undefined): Promise<void> {
  let message = t("The transcript is on the clipboard: paste it into the agent's prompt.");
  try {
    await vscode.env.clipboard.writeText(draft);
  } catch {
    message = t("The transcript could not be put on the clipboard.");
  }
  const button = t("Paste into Terminal");
  const chosen = await vscode.window.showInformationMessage(message, ...terminal ? [button] : []);
  if (chosen === button && terminal) paste(terminal, draft);
}
