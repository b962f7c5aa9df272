import type { FieldType } from "../wire";

// What the form's page and the extension say to each other.

export interface Drawn { id: string; description: string; type: FieldType; value: unknown; required: boolean; error?: string }

export interface Draw {
  fields: Drawn[];
  title: string;
  place: string;
  /** What is going on, while nothing can be changed. */
  busy?: string;
  /** Why the last try did not fork. */
  failed?: string;
  words: { fork: string; cancel: string; plan: string; advanced: string; pending: string };
}

export type ToPage = { draw: Draw } | { entries: { value: string; description: string }[]; id: string; query: string };

export type FromPage =
  | { kind: "ready" | "submit" | "cancel" | "plan" }
  | { kind: "change"; id: string; value: unknown }
  | { kind: "query"; id: string; query: string };
