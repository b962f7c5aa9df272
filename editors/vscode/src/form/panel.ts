import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Sidecar } from "../sidecar";
import type { Answer } from "../wire";
import { Dialog } from "./dialog";
import type { Drawn, FromPage, ToPage } from "./messages";

const { t } = vscode.l10n;

/** What the person asks of the dialog. Each may take its time; the form cannot be changed while submit runs. */
export interface Wishes {
  /** Forks with these answers. A string says why there is no fork: the dialog stays open. */
  submit(answers: Answer[], stage: (message: string) => void): Promise<string | undefined>;
  plan(answers: Answer[]): Promise<void>;
  /** Cancels what submit does. */
  cancel(): void;
}

/**
 * Opens the dialog of a fork beside the editors, once for each argument: a second call shows the one that is open. Throws
 * what the sidecar refuses, before anything is shown.
 */
export class Dialogs implements vscode.Disposable {
  private readonly open = new Map<string, vscode.WebviewPanel>();

  constructor(private readonly sidecar: Sidecar, private readonly extension: vscode.Uri, private readonly words: (why: unknown) => string) {}

  async show(argument: { workspace: string }, title: string, wishes: Wishes): Promise<void> {
    const key = JSON.stringify(argument);
    const old = this.open.get(key);
    if (old) return old.reveal();

    let panel: vscode.WebviewPanel | undefined;
    let busy: string | undefined, failed: string | undefined;
    const draw = () => panel && void panel.webview.postMessage({ draw: {
      title, place: argument.workspace,
      fields: dialog.fields.map((field): Drawn => ({
        id: field.id, description: field.description, type: field.type, value: dialog.value(field), required: field.required, ...field.error && { error: field.error },
      })),
      ...busy !== undefined && { busy }, ...failed !== undefined && { failed },
      words: {
        fork: t("Fork"), cancel: t("Cancel"), plan: t("Show Plan"), advanced: t("Advanced"), pending: t("still being read …"),
      },
    } } satisfies ToPage);
    const dialog = new Dialog(params => this.sidecar.resolve(params), argument, draw, why => {
      panel?.dispose();
      void vscode.window.showErrorMessage(this.words(why));
    });
    const news = this.sidecar.onChanged(what => what.what === "form" && what.workspace === argument.workspace && dialog.news());
    try {
      await dialog.open();
    } catch (why) {
      news.dispose();
      throw why;
    }

    const media = vscode.Uri.joinPath(this.extension, "media"), dist = vscode.Uri.joinPath(this.extension, "dist");
    panel = vscode.window.createWebviewPanel("sidefork.fork", title, vscode.ViewColumn.Active, { enableScripts: true, localResourceRoots: [media, dist] });
    panel.iconPath = vscode.Uri.joinPath(media, "icon.png");
    this.open.set(key, panel);
    panel.onDidDispose(() => {
      this.open.delete(key);
      news.dispose();
      panel = undefined;
    });

    const submit = async () => {
      if (busy !== undefined) return;
      busy = "";
      failed = undefined;
      draw();
      try {
        const answers = await dialog.submit();
        if (answers) {
          failed = await wishes.submit(answers, message => { busy = message; draw(); });
          if (failed === undefined) return panel?.dispose();
        }
      } catch (why) {
        failed = this.words(why);
      }
      busy = undefined;
      draw();
      // Nobody would see it in a dialog that was closed meanwhile.
      if (!panel && failed) void vscode.window.showErrorMessage(failed);
    };
    panel.webview.onDidReceiveMessage((said: FromPage) => {
      switch (said.kind) {
        case "ready": return draw();
        case "change": return dialog.change(said.id, said.value);
        case "submit": return void submit();
        case "plan": return void wishes.plan(dialog.answers());
        case "cancel": return busy === undefined ? panel?.dispose() : wishes.cancel();
        case "query": return void this.query(dialog, said.id, said.query, panel);
      }
    });
    panel.webview.html = page(panel.webview, title, vscode.Uri.joinPath(dist, "form.js"), vscode.Uri.joinPath(media, "form.css"));
  }

  private async query(dialog: Dialog, id: string, query: string, panel: vscode.WebviewPanel | undefined): Promise<void> {
    const type = dialog.fields.find(field => field.id === id)?.type;
    if (!type?.source) return;
    const entries = await this.sidecar.listEnum(type.source, type.config, query).catch(() => []);
    await panel?.webview.postMessage({ id, query, entries } satisfies ToPage);
  }

  dispose(): void {
    for (const panel of this.open.values()) panel.dispose();
  }
}

/** The page: nothing of a repository is in it, and nothing but its own script runs there. */
function page(webview: vscode.Webview, title: string, script: vscode.Uri, style: vscode.Uri): string {
  const nonce = randomBytes(16).toString("hex");
  return `<!doctype html><html lang="${/^[\w-]+$/.test(vscode.env.language) ? vscode.env.language : "en"}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<title>${title.replace(/[<&]/g, "")}</title><link rel="stylesheet" href="${webview.asWebviewUri(style).toString()}">
</head><body><script nonce="${nonce}" src="${webview.asWebviewUri(script).toString()}"></script></body></html>`;
}
