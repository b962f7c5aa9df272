import * as vscode from "vscode";
import type { Sidecar } from "./sidecar";
import { startAgent } from "./terminals";
import type { Launch, Reason, Session, Workspace } from "./wire";
import { plain, sentence } from "./words";

const { t } = vscode.l10n;

/** Takes up a session in a terminal, once the sidecar's guard has found that nothing else writes into it. */
export async function resume(sidecar: Sidecar, session: Session, workspace: Workspace): Promise<void> {
  const { launch } = await sidecar.ask<{ launch: Launch }>("sidefork.resume", { session: { agent: session.agent, id: session.id } });
  const line = launch.commandLine;
  const windows = sidecar.abilities?.platform === "windows";
  if (line) {
    const guard = await sidecar.ask<{ allowed: boolean; reason?: Reason }>("sidefork.guard", windows ? { command: line.powershell, shell: "powershell" } : { command: line.posix, shell: "posix" });
    if (!guard.allowed) return void vscode.window.showWarningMessage(guard.reason ? sentence(guard.reason) : t("It is not safe to resume this session."));
  }
  startAgent({ name: `${session.agent} · ${plain(session.title || workspace.name)}`, session, launch });
}
