// What the sidecar says and is told: the shapes of docs/contract.md, as far as they are used here. Nothing else knows them.

export interface Reason { code: string; message: string; remedy?: string }

export interface Warning extends Reason { detail?: string }

/** The data of an error: why, and what it has left behind. */
export interface Failure {
  reason: Reason;
  effect: "nothing" | "rolledBack" | "kept" | "unknown";
  detail?: string;
  reasons?: Reason[];
}

export interface SessionId { agent: string; id: string }

export interface Workspace {
  path: string; name: string; branch: string; head: string; parent: string | null; depth: number;
  main: boolean; detached: boolean; locked: boolean; archived: boolean; missing: boolean; agentsLive: number;
  fork: { allowed: boolean; hidden: boolean; reason?: Reason };
}

export interface Repository { root: string; gitDir: string; defaultBranch: string; workspaces: Workspace[] }

export interface Workspaces { repositories: Repository[]; warnings?: Warning[] }

export interface Session extends SessionId {
  title: string; firstPrompt: string; cwd: string; workspace: string | null; branch: string;
  startedAt: string | null; lastActivity: string | null;
  state: "live" | "ended" | "unknown"; status?: "idle" | "busy" | "waiting"; pid?: number;
  fork: { kind: "native" | "transcript" | "none"; reason?: Reason };
}

export interface Sessions { sessions: Session[]; next?: string; problems: { source: string; message: string }[] }

export interface Located { session: Session; certain: boolean }

export interface Setup { source: string; commands: string[]; hash: string; trusted: boolean; policy: string }

export interface Launch {
  argv?: string[]; cwd?: string; env?: Record<string, string | null>; trust?: string; tmux?: string;
  commandLine?: { posix: string; powershell: string; cmd: string };
}

export interface Terminal { title: string; cwd: string; commandLine?: string }

export interface ForkResult {
  status: "completed" | "cancelled";
  workspace?: Workspace;
  session?: { agent: string; id?: string; parent?: SessionId };
  launch?: Launch;
  draft?: string;
  setup?: { ran: boolean; exitCode?: number; log?: string; tail?: string };
  terminals?: Terminal[];
  copies?: (Partial<ForkResult> & { name: string; error?: Failure })[];
  warnings: Warning[];
}

export interface PlanFile { path: string; change: string; bytes: number }

export interface Plan {
  tracked?: number; untracked?: number; included?: number; deleted?: number; staged?: number; bytes?: number;
  files: PlanFile[]; left: { path: string; reason: string }[]; refusals: Reason[]; commands: string[][];
  workspace?: string; name?: string; dir?: string; base?: string; session?: Session; launch?: Launch;
  forecast?: { tokens: number }; setup?: Setup; copies?: { name: string; dir: string }[]; warnings: Warning[];
}

export interface Outcome {
  state: "running" | "completed" | "rolledBack" | "failed" | "unknownOperation";
  result?: ForkResult;
  error?: Failure;
  stands?: { workspace: string; branch?: string };
}

export interface Comparison {
  base: string; with?: string; branch?: string; head: string; ahead: number; behind: number;
  files: { path: string; oldPath?: string; change: string; committed: boolean; additions: number; deletions: number; binary?: boolean }[];
}

export interface Removal {
  removed: string; branch?: string; reparented: string[]; saved?: string; restore: string[][];
  lost: { path: string; reason: string }[]; warnings?: Warning[];
}

export interface Archived { workspace: Workspace; saved?: string; lost: { path: string; reason: string }[]; warnings?: Warning[] }

/** The refusals that can be forced, by their codes: of a removal, and of archiving. */
export const removalForces = ["uncommitted", "unmerged", "operationInProgress", "onlyHere", "agentLive", "agentMaybeLive", "locked", "submoduleUnknown"];
export const archiveForces = ["ignored", "agentMaybeLive"];

export interface FieldType {
  kind: string;
  entries?: { value: string; description: string }[];
  source?: string;
  config?: unknown;
  elementType?: { kind: string };
  advanced?: boolean; disabledReason?: string; pending?: boolean; multiline?: boolean; setup?: Setup;
}

export interface Field { id: string; description: string; type: FieldType; required: boolean; default?: unknown; error?: string }

export interface Answer { id: string; value: unknown }

export interface Resolve {
  command: string;
  arguments: unknown[];
  formFields?: Field[];
  formAnswers?: Answer[];
  draft?: boolean;
}

export interface Changed { what: "workspaces" | "sessions" | "form"; workspace?: string }

export interface Started { operationId: string; workspace: string; session?: SessionId; pid?: number; warning?: Warning; draft?: string }

/** What a sidecar says of itself in its answer to initialize. */
export interface Abilities { contract: number; platform: string; features: string[]; agents: Record<string, { fork: string }> }
