import { type ChildProcess, spawn } from "node:child_process";
import * as os from "node:os";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, ProgressType, ResponseError, RevealOutputChannelOn, State } from "vscode-languageclient/node";
import type { WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport } from "vscode-languageclient/node";
import { find, isForeign } from "./find";
import { Restarts } from "./restarts";
import { section, sidecarSettings } from "./settings";
import { plain } from "./words";
import type { Abilities, Answer, Changed, Failure, Resolve, Started } from "./wire";

// The sidecar as this window has it: found, started when it is first needed, started again when it has ended by itself,
// asked. What it says is in its answers; here is nothing of git or agents.

type WorkDone = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

const { t } = vscode.l10n;
const contract = 1;
const startWithin = 20_000;

/** A command was refused or failed, and the sidecar has said why. */
export class Refused extends Error {
  constructor(readonly failure: Failure) {
    super(failure.reason.message);
  }
}

/** The sidecar went away before it answered, or there is none. started: it may have been at work on what was asked. */
export class Lost extends Error {
  constructor(message: string, readonly started: boolean) {
    super(message);
  }
}

/** What goes wrong with a connection is told by us, once: tell. */
class Quiet extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export interface Asking {
  formAnswers?: Answer[];
  /** Reports of the command's progress: a stage in words, and how much of all is done (0 to 100). */
  progress?: (message: string, percentage: number) => void;
  cancel?: vscode.CancellationToken;
}

export class Sidecar implements vscode.Disposable {
  private readonly restarts = new Restarts();
  private client: LanguageClient | undefined;
  private process: ChildProcess | undefined;
  private starting: Promise<LanguageClient> | undefined;
  private rest: { over: Promise<void>; end: () => void } | undefined; // until the next start
  private givenUp: Lost | undefined;
  private disposed = false;
  private token = 0;
  private readonly own: vscode.Disposable[] = [];

  private readonly changes = new vscode.EventEmitter<Changed>();
  private readonly starts = new vscode.EventEmitter<Started>();
  private readonly ups = new vscode.EventEmitter<Abilities | undefined>();
  readonly onChanged = this.changes.event;
  readonly onStarted = this.starts.event;
  /** It is up, with what it can do, or (undefined) down. */
  readonly onUp = this.ups.event;

  /** What the running sidecar can do. */
  abilities: Abilities | undefined;
  /** The program that runs, for terminals of `sidefork run`. */
  program: string | undefined;

  constructor(private readonly extension: vscode.ExtensionContext, private readonly log: vscode.LogOutputChannel) {
    this.own.push(this.changes, this.starts, this.ups, vscode.workspace.onDidChangeConfiguration(e => {
      if (e.affectsConfiguration("sidefork.path")) void this.restart();
      else if (sidecarSettings.some(name => e.affectsConfiguration("sidefork." + name))) this.configure();
    }));
  }

  has(feature: string): boolean {
    return this.abilities?.features.includes(feature) ?? false;
  }

  /** What the sidecar can do, once it runs. Throws Lost. */
  async ready(): Promise<Abilities> {
    await this.up();
    if (!this.abilities) throw new Lost(t("The program sidefork has ended in the middle of it."), true);
    return this.abilities;
  }

  /** Runs a command of the contract. Throws Refused, or Lost. */
  async ask<Result>(command: string, argument: object, how: Asking = {}): Promise<Result> {
    const token = how.progress || how.cancel ? `sidefork-${++this.token}` : undefined;
    return await this.request<Result>("workspace/executeCommand", {
      command, arguments: [argument], ...how.formAnswers && { formAnswers: how.formAnswers }, ...token && { workDoneToken: token },
    }, client => {
      if (token === undefined) return [];
      const listens: vscode.Disposable[] = [];
      let done = 0;
      listens.push(client.onProgress(new ProgressType<WorkDone>(), token, said => {
        if (said.kind === "end" || !how.progress) return;
        done = Math.max(done, said.percentage ?? 0);
        how.progress(plain(said.message ?? ""), done);
      }));
      const cancel = () => void client.sendNotification("window/workDoneProgress/cancel", { token }).catch(() => {});
      if (how.cancel?.isCancellationRequested) setImmediate(cancel);
      if (how.cancel) listens.push(how.cancel.onCancellationRequested(cancel));
      return listens;
    });
  }

  resolve(params: Resolve): Promise<Resolve> {
    return this.request("command/resolve", params);
  }

  listEnum(source: string, config: unknown, query: string): Promise<{ value: string; description: string }[]> {
    return this.request("interactive/listEnum", { source, config, query });
  }

  private async request<Result>(method: string, params: object, listen?: (client: LanguageClient) => vscode.Disposable[]): Promise<Result> {
    const client = await this.up();
    const listens = listen?.(client) ?? [];
    // A client whose connection has closed leaves its requests open: the end of the process answers them.
    const ended = new Promise<never>((_, reject) => {
      const fail = () => reject(new Lost(t("The program sidefork has ended in the middle of it."), true));
      listens.push(client.onDidChangeState(change => change.newState !== State.Running && fail()));
      if (client.state !== State.Running) fail();
    });
    try {
      return await Promise.race([client.sendRequest<Result>(method, params), ended]);
    } catch (error) {
      if (error instanceof Lost) throw error;
      if (error instanceof ResponseError && isFailure(error.data)) throw new Refused(error.data);
      if (client.state !== State.Running || error instanceof Error && /connection|disposed/i.test(error.message) && !(error instanceof ResponseError)) {
        throw new Lost(t("The program sidefork has ended in the middle of it."), true);
      }
      throw error;
    } finally {
      listens.forEach(one => one.dispose());
    }
  }

  /** The running sidecar, started if need be. Throws Lost, after the user was told why in one message. */
  private up(): Promise<LanguageClient> {
    if (this.disposed) return Promise.reject(new Lost(t("Sidefork is shutting down."), false));
    if (this.client?.state === State.Running) return Promise.resolve(this.client);
    if (this.givenUp) return Promise.reject(this.givenUp);
    this.starting ??= (async () => {
      await this.rest?.over;
      return await this.start();
    })().finally(() => this.starting = undefined);
    return this.starting;
  }

  private async start(): Promise<LanguageClient> {
    const found = find(vscode.workspace.getConfiguration("sidefork").get("path", ""), this.extension.extensionPath, process.env);
    if ("missing" in found) {
      throw this.tell(t("The program {0} was not found. Install sidefork, or say where it is.", plain(found.missing)), "settings");
    }
    this.program = found.program;
    if (isForeign(found.program)) {
      throw this.tell(t("{0} is not a program for this system ({1}-{2}). Install the extension for it, or name another program.",
        plain(found.program), os.platform(), os.arch()), "settings");
    }
    const { child, failed } = await started(found.program);
    if (failed) throw this.tell(t("{0} cannot be started: {1}", plain(found.program), plain(failed.message)), "settings");
    const client = this.connect(child);
    let early: (why: Error) => void = () => {};
    const ended = new Promise<never>((_, reject) => early = reject);
    const timer = setTimeout(() => early(new Error(t("it did not answer within {0} s", startWithin / 1000))), startWithin);
    child.once("exit", (status, signal) => {
      early(new Error(t("it ended with {0}", status ?? signal ?? "?")));
      if (this.process === child) this.ended();
    });
    try {
      await Promise.race([client.start(), ended]);
    } catch (error) {
      child.kill();
      void client.dispose(0).catch(() => {});
      throw this.tell(t("The program sidefork did not start: {0}", plain(error instanceof Error ? error.message : String(error))), "log");
    } finally {
      clearTimeout(timer);
    }
    const said: unknown = (client.initializeResult?.capabilities.experimental as { sidefork?: unknown } | undefined)?.sidefork;
    if (!isAbilities(said) || said.contract < contract) {
      child.kill();
      void client.dispose(0).catch(() => {});
      throw this.tell(t("{0} is too old for this extension. Update it, or name another program.", plain(found.program)), "settings");
    }
    this.client = client;
    this.process = child;
    this.told = undefined;
    client.onNotification("sidefork/changed", (what: Changed) => this.changes.fire(what));
    client.onNotification("sidefork/started", (what: Started) => this.starts.fire(what));
    this.log.info(`${found.program} (${found.from}) runs: contract ${said.contract}, ${said.features.length} features`);
    this.setUp(said);
    return client;
  }

  private connect(child: ChildProcess): LanguageClient {
    const client = new Quiet("sidefork", "Sidefork", () => Promise.resolve(child), {
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => this.section(),
      initializationFailedHandler: () => false,
      errorHandler: { error: () => ({ action: ErrorAction.Continue, handled: true }), closed: () => ({ action: CloseAction.DoNotRestart, handled: true }) },
    });
    client.registerFeature({
      fillClientCapabilities: capabilities => {
        capabilities.experimental = { ...capabilities.experimental, interactiveResolve: { inputTypes: ["bool", "enum", "lazyEnum", "number", "string", "list"] } };
      },
      initialize: () => {}, getState: () => ({ kind: "static" }), clear: () => {},
    });
    return client;
  }

  private setUp(abilities: Abilities | undefined): void {
    const before = this.abilities;
    this.abilities = abilities;
    if (before !== abilities) this.ups.fire(abilities);
  }

  /** The sidecar has ended by itself. */
  private ended(): void {
    const client = this.client;
    this.client = this.process = undefined;
    if (client) void client.dispose(0).catch(() => {});
    if (this.disposed) return;
    const wait = this.restarts.ended(Date.now());
    if (wait === undefined) {
      this.givenUp = this.tell(t("The program sidefork has ended several times within a short time and is not started again."), "again");
    } else {
      this.log.warn(`sidefork has ended; it is started again in ${wait} ms`);
      this.pause(wait);
      void this.up().catch(() => {}); // was told
    }
    this.setUp(undefined);
  }

  private pause(time: number): void {
    let end = () => {};
    const over = new Promise<void>(resolve => {
      const timer = setTimeout(resolve, time);
      end = () => { clearTimeout(timer); resolve(); };
    }).then(() => this.rest = undefined).then(() => {});
    this.rest = { over, end };
  }

  /** Ends what runs and starts it anew. */
  async restart(): Promise<void> {
    this.restarts.forget();
    this.told = this.givenUp = undefined;
    await this.stop();
    await this.up().catch(() => {}); // was told
  }

  private async stop(): Promise<void> {
    this.rest?.end();
    await this.starting?.catch(() => {});
    const { client, process: child } = this;
    this.client = this.process = undefined;
    if (client) await client.dispose(5000).catch(() => child?.kill());
    this.setUp(undefined);
  }

  private configure(): void {
    void this.client?.sendNotification("workspace/didChangeConfiguration", { settings: { sidefork: this.section() } }).catch(() => {});
  }

  private section(): Record<string, unknown> {
    const configuration = vscode.workspace.getConfiguration("sidefork");
    return section(name => configuration.inspect(name)?.globalValue); // a machine's settings are merged into the global ones
  }

  private told: string | undefined;

  /** One message for one trouble, with the button that helps; not again until something has changed. */
  private tell(message: string, helps: "settings" | "log" | "again"): Lost {
    this.log.error(message);
    if (this.told !== message) {
      this.told = message;
      const button = { settings: t("Open Settings"), log: t("Show Log"), again: t("Start Again") }[helps];
      void vscode.window.showErrorMessage(message, button).then(chosen => {
        if (chosen === undefined) return;
        if (helps === "settings") {
          // A machine's setting is not among the user's where the machine is a remote.
          const settings = vscode.env.remoteName === undefined ? "openSettings" : "openRemoteSettings";
          void vscode.commands.executeCommand("workbench.action." + settings, { query: "sidefork.path" });
        }
        else if (helps === "log") this.log.show();
        else void this.restart();
      });
    }
    return new Lost(message, false);
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.own.forEach(one => one.dispose());
    await this.stop();
  }
}

/** Starts program, and waits until the system has taken or refused it. */
function started(program: string): Promise<{ child: ChildProcess; failed?: undefined } | { failed: NodeJS.ErrnoException; child?: undefined }> {
  return new Promise(resolve => {
    try {
      // Its own folder is the user's home: it must not stand in a workspace that is to be removed.
      const child = spawn(program, ["serve", "--stdio"], { cwd: os.homedir(), stdio: "pipe", windowsHide: true });
      child.once("spawn", () => resolve({ child }));
      child.once("error", failed => resolve({ failed }));
    } catch (error) {
      resolve({ failed: error as NodeJS.ErrnoException });
    }
  });
}

function isFailure(data: unknown): data is Failure {
  const failure = data as Partial<Failure> | undefined;
  return typeof failure?.reason?.code === "string" && typeof failure.reason.message === "string";
}

function isAbilities(said: unknown): said is Abilities {
  const abilities = said as Partial<Abilities> | undefined;
  return typeof abilities?.contract === "number" && Array.isArray(abilities.features);
}
