import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as vscode from "vscode";
import { Lost, type Sidecar } from "./sidecar";
import { cut, plain } from "./words";

const { t } = vscode.l10n;
/** Characters that are kept of what a command has shown: the last ones. The sidecar cuts further, by its own setting. */
const keep = 256 * 1024;

// What a terminal showed of an agent that the sidecar knows no session of: from the editor's shell integration, or by
// starting the agent recorded.

/** The part of VS Code's shell integration (1.93) that is used here. */
interface Execution { commandLine: { value: string }; read(): AsyncIterable<string> }
interface ExecutionEvent { terminal: vscode.Terminal; execution: Execution }
type Window = typeof vscode.window & {
  onDidStartTerminalShellExecution?: vscode.Event<ExecutionEvent>;
  onDidEndTerminalShellExecution?: vscode.Event<ExecutionEvent>;
};
export type Integrated = vscode.Terminal & { shellIntegration?: { cwd?: vscode.Uri } };

export class Transcripts implements vscode.Disposable {
  private readonly running = new Map<vscode.Terminal, { execution: Execution; agent: string; text: string }>();
  private readonly own: vscode.Disposable[] = [];

  constructor(private readonly sidecar: Sidecar) {
    const window = vscode.window as Window;
    this.own.push(...[
      window.onDidStartTerminalShellExecution?.(e => void this.record(e)),
      window.onDidEndTerminalShellExecution?.(e => this.running.get(e.terminal)?.execution === e.execution && this.running.delete(e.terminal)),
      vscode.window.onDidCloseTerminal(terminal => this.running.delete(terminal)),
    ].filter(one => one !== undefined));
  }

  private async record({ terminal, execution }: ExecutionEvent): Promise<void> {
    const agent = programOf(execution.commandLine.value);
    if (!agent) return;
    const one = { execution, agent, text: "" };
    this.running.set(terminal, one);
    try {
      for await (const data of execution.read()) one.text = (one.text + data).slice(-keep);
    } catch {
      // the terminal is gone: what there is counts
    }
  }

  /** What the command that runs in a terminal has shown; undefined where that is not known, or is nothing. */
  of(terminal: vscode.Terminal): { agent: string; text: string } | undefined {
    const one = this.running.get(terminal);
    const text = one && stripVTControlCharacters(one.text).replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "").trim();
    return one && text ? { agent: one.agent, text } : undefined;
  }

  /** Why there is no transcript of a terminal. */
  whyNot(terminal: Integrated): string {
    const instead = t("Start the agent in a terminal of the profile \"Agent (recorded)\" to have what it shows.");
    return terminal.shellIntegration
      ? t("No session of an agent was found in this terminal, and nothing of one was seen since it began.") + " " + instead
      : t("No session of an agent was found in this terminal, and its shell integration is off: what it showed is not known.") + " " + instead;
  }

  /** A terminal in which an agent of the user's choice is recorded. */
  async profile(cancel: vscode.CancellationToken): Promise<vscode.TerminalProfile | undefined> {
    const abilities = await this.sidecar.ready();
    const program = this.sidecar.program;
    if (!program || !abilities.features.includes("transcripts")) throw new Lost(t("This sidefork records no agents. Update it."), true);
    const agent = await this.choose(Object.keys(abilities.agents), cancel);
    if (!agent) return undefined;
    return new vscode.TerminalProfile({ name: cut(plain(agent), 40), shellPath: program, shellArgs: ["run", "--", agent], iconPath: new vscode.ThemeIcon("record") });
  }

  /** One of those that are known, or the program whose name is typed. */
  private choose(known: string[], cancel: vscode.CancellationToken): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick();
    pick.title = t("Which agent is to be recorded?");
    pick.placeholder = t("Choose one, or type the name of its program");
    const items = () => {
      const typed = pick.value.trim();
      pick.items = [...known, ...typed && !known.includes(typed) ? [typed] : []].map(name => ({ label: plain(name) }));
    };
    items();
    pick.onDidChangeValue(items);
    cancel.onCancellationRequested(() => pick.hide());
    pick.show();
    return new Promise(resolve => {
      pick.onDidAccept(() => { resolve(pick.selectedItems[0]?.label); pick.hide(); });
      pick.onDidHide(() => { resolve(undefined); pick.dispose(); });
    });
  }

  dispose(): void {
    this.own.forEach(one => one.dispose());
  }
}

/** The name of the program that a command line starts, as far as that is plain: no variable set before it, no quotes. */
function programOf(line: string): string | undefined {
  const first = /^\s*([\w./+-]+)(?:\s|$)/.exec(line)?.[1];
  return first && path.basename(first);
}
