import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { childOf, openChild, opening } from "./arrival";
import { running } from "./left";
import { Lost, Refused, type Sidecar } from "./sidecar";
import type { Outcome } from "./wire";
import { failureText, outcomeText, plain } from "./words";

const { t } = vscode.l10n;
const key = running;

interface Running { operationId: string; repository: string; title: string }

/**
 * What writes while a sidecar may be killed or a window closed. Each operation is remembered until its answer has come; of
 * one whose answer never came the next sidecar is asked, and nothing is claimed until it has said.
 */
export class Operations implements vscode.Disposable {
  private readonly here = new Set<string>(); // those of this window whose answer is still to come
  private readonly listens: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sidecar: Sidecar, private readonly storage: vscode.Memento, private readonly windows: vscode.Memento) {
    this.listens = sidecar.onUp(up => up && void this.left());
  }

  /** Runs an operation. undefined: its answer was lost, which the user has been told. repository is a folder that stays. */
  async run<Result>(title: string, repository: string, ask: (operationId: string) => Promise<Result>): Promise<{ operationId: string; result: Result } | undefined> {
    const operationId = randomUUID();
    this.here.add(operationId);
    await this.storage.update(key, [...this.all(), { operationId, repository, title }]);
    try {
      const result = await ask(operationId);
      await this.forget(operationId);
      return { operationId, result };
    } catch (why) {
      if (!(why instanceof Lost && why.started)) {
        await this.forget(operationId);
        throw why;
      }
      void vscode.window.showWarningMessage(`${t("{0} was interrupted: it may be partially applied.", title)} ${t("What became of it is told as soon as that is known.")}`);
      return undefined;
    } finally {
      this.here.delete(operationId);
      if (this.sidecar.abilities) void this.left();
    }
  }

  private all(): Running[] {
    return this.storage.get<Running[]>(key, []);
  }

  private async forget(operationId: string): Promise<void> {
    const left = this.all().filter(one => one.operationId !== operationId);
    await this.storage.update(key, left.length > 0 ? left : undefined);
  }

  /** Asks what became of those whose answer never came. */
  private async left(): Promise<void> {
    for (const one of this.all()) {
      if (this.here.has(one.operationId)) continue;
      this.here.add(one.operationId); // it is asked about once at a time
      try {
        const outcome = await this.sidecar.ask<Outcome>("sidefork.outcome", { operationId: one.operationId, repository: one.repository });
        if (outcome.state === "running") {
          clearTimeout(this.timer);
          this.timer = setTimeout(() => void this.left(), 2000);
          continue;
        }
        await this.forget(one.operationId);
        this.tell(one.title, outcome);
      } catch (why) {
        if (why instanceof Lost) return; // the next start asks again
        await this.forget(one.operationId);
        void vscode.window.showErrorMessage(`${outcomeText(one.title, { state: "unknownOperation" }, t)} ${saying(why)}`);
      } finally {
        this.here.delete(one.operationId);
      }
    }
  }

  private tell(title: string, outcome: Outcome): void {
    const text = outcomeText(title, outcome, t);
    if (outcome.state !== "completed" && outcome.state !== "rolledBack") return void vscode.window.showErrorMessage(text);
    const child = outcome.state === "completed" && outcome.result ? childOf(outcome.result) : undefined;
    const open = t("Open");
    void vscode.window.showInformationMessage(text, ...child ? [open] : []).then(button => {
      if (button === open && child) void openChild(child, opening(), this.windows);
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listens.dispose();
  }
}

/** What an error says to a person. */
export function saying(why: unknown): string {
  if (why instanceof Refused) return failureText(why.failure, t);
  return plain(why instanceof Error ? why.message : String(why));
}
