import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { arrive, childOf, openChild, opening } from "./arrival";
import { Dialogs } from "./form/panel";
import { planText } from "./form/plan";
import { type Operations, saying } from "./operations";
import type { Sidecar } from "./sidecar";
import { giveDraft } from "./terminals";
import type { Answer, ForkResult, Plan, SessionId } from "./wire";
import { failureText, plain, sentence } from "./words";

const { t } = vscode.l10n;

/** Stages show only of what takes longer than this, in ms. */
const quick = 200;

/** What a fork is of, where that is known: the session or terminal that the entry was used on. */
export interface Source {
  workspace: string;
  pid?: number;
  session?: SessionId;
  transcript?: { agent: string; text: string };
}

/** Fork Agent Session… from the dialog to what stands afterwards. */
export class Forks implements vscode.Disposable {
  private readonly dialogs: Dialogs;
  private readonly own: vscode.Disposable[] = [];
  private readonly here = new Set<string>(); // operations of this window
  private readonly terminals = new Map<string, vscode.Terminal>();

  constructor(private readonly sidecar: Sidecar, private readonly operations: Operations, private readonly extension: vscode.ExtensionContext) {
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
    const title = source.transcript ? t("Fork {0} with What Its Terminal Showed", plain(source.transcript.agent)) : t("Fork Agent Session");
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

  /** Forks. Gives why not. */
  private async run(source: Source, formAnswers: Answer[], cancel: vscode.CancellationTokenSource, stage: (message: string) => void): Promise<string | undefined> {
    const named = formAnswers.find(answer => answer.id === "name")?.value;
    const title = t("Fork {0}", plain(typeof named === "string" && named !== "" ? named : source.workspace));
    let report: vscode.Progress<{ message?: string; increment?: number }> | undefined;
    let said = "", done = 0, reported = 0;
    const show = () => {
      report?.report({ message: said, increment: done - reported });
      if (report) reported = done;
    };
    const asked = this.operations.run(title, source.workspace, operationId => {
      this.here.add(operationId);
      return this.sidecar.ask<ForkResult>("sidefork.fork", { ...source, operationId, launch: "client" }, {
        formAnswers, cancel: cancel.token, progress: (message, percentage) => {
          [said, done] = [message || said, percentage];
          show();
          if (report) stage(said);
        },
      });
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
      const made = await asked;
      if (made) await this.made(made.result, title);
      return undefined;
    } catch (why) {
      return saying(why);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens what was made, and names what is to be known of it. */
  private async made(result: ForkResult, title: string): Promise<void> {
    if (result.status === "cancelled") return void vscode.window.showInformationMessage(t("{0} was cancelled: nothing of it stands.", title));
    for (const warning of result.warnings) void vscode.window.showWarningMessage(`${title}: ${sentence(warning)}`);
    const copies = result.copies ?? [];
    for (const copy of copies) {
      if (copy.error) void vscode.window.showErrorMessage(`${plain(copy.name)}: ${failureText(copy.error, t)}`);
      for (const warning of copy.warnings ?? []) void vscode.window.showWarningMessage(`${plain(copy.name)}: ${sentence(warning)}`);
    }
    // Several children do not take several windows: their agents start here.
    const children = (copies.length > 0 ? copies : [result]).map(childOf).filter(child => child !== undefined);
    for (const child of children) {
      const terminal = children.length > 1 ? arrive(child) : await openChild(child, opening(), this.extension.globalState);
      if (terminal) this.terminals.set(child.folder, terminal);
    }
  }

  dispose(): void {
    this.own.forEach(one => one.dispose());
  }
}
