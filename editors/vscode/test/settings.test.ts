import assert from "node:assert/strict";
import { test } from "node:test";
import { section } from "../src/settings";

test("only what the user has set goes to the sidecar, in its own shape", () => {
  const set: Record<string, unknown> = { "carry.maxFiles": 5, "setup.policy": null, agents: { claude: { program: "/opt/claude" } } };
  assert.deepEqual(section(name => set[name]), { carry: { maxFiles: 5 }, agents: { claude: { program: "/opt/claude" } } });
  assert.deepEqual(section(() => undefined), {});
});
