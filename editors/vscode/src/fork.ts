import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { arrive, childOf, openChild, type Opening } from "./arrival";
import { Dialogs } from "./form/panel";
import { planText } from "./form/plan";
import { Lost, Refused, type Sidecar } from "./sidecar";
import { giveDraft } from "./terminals";
import type { Answer, ForkResult, Outcome, Plan, SessionId } from "./wire";
import { failureText, outcomeText, plain, sentence } from "./words";

const { t } = vscode.l10n;

/** Stages show only of what takes longer than this, in ms. */
const quick = 200;
const running = "running";

/** What a fork is of, where that is known: the session or terminal that the entry was used on. */
export interface Source {
  workspace: string;
  pid?: number;
  session?: SessionId;
  transcript?: { agent: string; text: string };
}

interface Run { operationId: string; repository: string; title: string }

/** Fork Agent Session… from the dialog to what stands afterwards. */
export class Forks implements vscode.Disposable {
  private readonly dialogs: Dialogs;
  private readonly own: vscode.Disposable[] = [];
  private readonly here = new Set<string>(); // operations of this window
  private readonly terminals = new Map<string, vscode.Terminal>();

  constructor(private readonly sidecar: Sidecar, private readonly extension: vscode.ExtensionContext) {
    this.dialogs = new Dialogs(sidecar, extension.extensionUri, saying);
    const plans = new Map<string, string>();
    this.own.push(this.dialogs,
      vscode.workspace.registerTextDocumentContentProvider("sidefork-plan", { provideTextDocumentContent: uri => plans.get(uri.query) ?? "" }),
      vscode.workspace.onDidCloseTextDocument(document => document.uri.scheme === "sidefork-plan" && plans.delete(document.uri.query)),
      sidecar.onStarted(what => {
        if (!this.here.has(what.operationId)) return;
        if (what.warning) void vscode.window.showWarningMessage(sentence(what.warning));
        if (what.draft) void giveDraft(what.draft, this.terminals.get(what.workspace));
      }),
      sidecar.onUp(up => up && void this.left()),
    );
    this.showPlan = async text => {
      const id = randomUUID();
      plans.set(id, text);
      const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: "sidefork-plan", path: "/" + t("Plan"), query: id }));
      await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
    };
  }

  private readonly showPlan: (text: string) => Promise<void>;

  /** Opens the dialog. */
  async ask(source: Source): Promise<void> {
    const title = t("Fork Agent Session");
    let cancel: vscode.CancellationTokenSource | undefined;
    try {
      await this.dialogs.show(source, title, {
        plan: async formAnswers => {
          try {
            await this.showPlan(planText(await this.sidecar.ask<Plan>("sidefork.plan", source, { formAnswers }), t));
          } catch (why) {
            void vscode.window.showErrorMessage(t("There is no plan yet: {0}", saying(why)));
          }
        },
        submit: async (answers, stage) => {
          cancel = new vscode.CancellationTokenSource();
          try {
            return await this.run(source, answers, cancel, stage);
          } finally {
            cancel.dispose();
            cancel = undefined;
          }
        },
        cancel: () => cancel?.cancel(),
      });
    } catch (why) {
      void vscode.window.showErrorMessage(saying(why));
    }
  }

  /** Forks. Gives why not, as long as that is certain. */
  private async run(source: Source, formAnswers: Answer[], cancel: vscode.CancellationTokenSource, stage: (message: string) => void): Promise<string | undefined> {
    const operationId = randomUUID();
    const named = formAnswers.find(answer => answer.id === "name")?.value;
    const title = t("Fork {0}", plain(typeof named === "string" && named !== "" ? named : source.workspace));
    const run: Run = { operationId, repository: source.workspace, title };
    this.here.add(operationId);
    await this.remember(run);
    let report: vscode.Progress<{ message?: string; increment?: number }> | undefined;
    let said = "", done = 0, reported = 0;
    const show = () => {
      report?.report({ message: said, increment: done - reported });
      if (report) reported = done;
    };
    const asked = this.sidecar.ask<ForkResult>("sidefork.fork", { ...source, operationId, launch: "client" }, {
      formAnswers, cancel: cancel.token, progress: (message, percentage) => {
        [said, done] = [message || said, percentage];
        show();
        if (report) stage(said);
      },
    });
    const ended = asked.then(() => {}, () => {});
    const timer = setTimeout(() => void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
      token.onCancellationRequested(() => cancel.cancel());
      report = progress;
      said ||= t("Preparing");
      show();
      stage(said);
      await ended;
    }), quick);
    try {
      const result = await asked;
      await this.forget(operationId);
      await this.made(result, title);
      return undefined;
    } catch (why) {
      if (why instanceof Lost && why.started) {
        // Nothing is known until the next sidecar has said what became of it: left(), at its start.
        void vscode.window.showWarningMessage(`${t("{0} was interrupted: it may be partially applied.", title)} ${t("What became of it is told as soon as that is known.")}`);
        this.here.delete(operationId);
        return undefined;
      }
      await this.forget(operationId);
      return saying(why);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens what was made, and names what is to be known of it. */
  private async made(result: ForkResult, title: string): Promise<void> {
    if (result.status === "cancelled") return void vscode.window.showInformationMessage(t("{0} was cancelled: nothing of it stands.", title));
    for (const warning of result.warnings) void vscode.window.showWarningMessage(`${title}: ${sentence(warning)}`);
    const opening = vscode.workspace.getConfiguration("sidefork").get<Opening>("open.child", "newWindow");
    const copies = result.copies ?? [];
    for (const copy of copies) {
      if (copy.error) void vscode.window.showErrorMessage(`${plain(copy.name)}: ${failureText(copy.error, t)}`);
      for (const warning of copy.warnings ?? []) void vscode.window.showWarningMessage(`${plain(copy.name)}: ${sentence(warning)}`);
    }
    // Several children do not take several windows: their agents start here.
    const children = (copies.length > 0 ? copies : [result]).map(childOf).filter(child => child !== undefined);
    for (const child of children) {
      const terminal = children.length > 1 ? arrive(child) : await openChild(child, opening, this.extension.globalState);
      if (terminal) this.terminals.set(child.folder, terminal);
    }
  }

  private runs(): Run[] {
    return this.extension.workspaceState.get<Run[]>(running, []);
  }

  private async remember(run: Run): Promise<void> {
    await this.extension.workspaceState.update(running, [...this.runs(), run]);
  }

  private async forget(operationId: string): Promise<void> {
    const left = this.runs().filter(run => run.operationId !== operationId);
    await this.extension.workspaceState.update(running, left.length > 0 ? left : undefined);
  }

  /** Asks what became of forks whose answer never came: of a killed sidecar, or of a window that was closed. */
  private async left(): Promise<void> {
    for (const run of this.runs()) {
      if (this.here.has(run.operationId)) continue; // its answer is still to come
      try {
        const outcome = await this.sidecar.ask<Outcome>("sidefork.outcome", { operationId: run.operationId, repository: run.repository });
        if (outcome.state === "running") {
          setTimeout(() => void this.left(), 2000);
          continue;
        }
        await this.forget(run.operationId);
        const text = outcomeText(run.title, outcome, t);
        const child = outcome.state === "completed" && outcome.result ? childOf(outcome.result) : undefined;
        const open = t("Open");
        const chosen = outcome.state === "completed" || outcome.state === "rolledBack"
          ? vscode.window.showInformationMessage(text, ...child ? [open] : []) : vscode.window.showErrorMessage(text);
        void chosen.then(button => {
          if (button === open && child) void openChild(child, vscode.workspace.getConfiguration("sidefork").get<Opening>("open.child", "newWindow"), this.extension.globalState);
        });
      } catch (why) {
        if (why instanceof Lost) return; // the next start asks again
        await this.forget(run.operationId);
        void vscode.window.showErrorMessage(`${outcomeText(run.title, { state: "unknownOperation" }, t)} ${saying(why)}`);
      }
    }
  }

  dispose(): void {
    this.own.forEach(one => one.dispose());
  }
}

/** What an error says to a person. */
export function saying(why: unknown): string {
  if (why instanceof Refused) return failureText(why.failure, t);
  return plain(why instanceof Error ? why.message : String(why));
}
