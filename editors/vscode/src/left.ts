import type { Memento } from "vscode";

/** Where a window remembers its operations until their answers have come: operations.ts. */
export const running = "running";

/** Whether this window has left something behind that its next start should ask about. */
export function hasLeft(storage: Memento): boolean {
  return storage.get<unknown[]>(running, []).length > 0;
}
