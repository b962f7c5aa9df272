// The settings that are the sidecar's own. Their defaults are the sidecar's too: only what the user has set goes there,
// since it lies over the user's settings file.

export const sidecarSettings = [
  "carry.maxFiles", "carry.maxBytes", "carry.maxIncludedFiles", "carry.maxIncludedBytes", "setup.policy", "setup.timeLimit", "setup.wait",
  "worktree.pattern", "name.pattern", "terminals.maxBytes", "terminals.maxDraft", "terminals.keepDays", "agents", "language", "log.level",
];

/** The section as the sidecar takes it, of what get gives: undefined or null for what the user has not set. */
export function section(get: (name: string) => unknown): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const name of sidecarSettings) {
    const value = get(name);
    if (value === undefined || value === null) continue;
    let at = all;
    const parts = name.split(".");
    for (const part of parts.slice(0, -1)) at = (at[part] ??= {}) as Record<string, unknown>;
    at[parts.at(-1)!] = value;
  }
  return all;
}
