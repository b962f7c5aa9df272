import assert from "node:assert/strict";
import { test } from "node:test";
import { Restarts } from "../src/restarts";

test("each restart waits longer, the fifth end within two minutes is a loop, and a user may begin again", () => {
  const restarts = new Restarts();
  assert.deepEqual([0, 1000, 2000, 3000].map(at => restarts.ended(at)), [500, 1000, 2000, 4000]);
  assert.equal(restarts.ended(4000), undefined);
  restarts.forget();
  assert.equal(restarts.ended(5000), 500);
});

test("ends that are far apart are no loop", () => {
  const restarts = new Restarts();
  for (let i = 0; i < 20; i++) assert.notEqual(restarts.ended(i * 60_000), undefined);
});
