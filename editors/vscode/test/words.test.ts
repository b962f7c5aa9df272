import assert from "node:assert/strict";
import { test } from "node:test";
import { ages, failureText, outcomeText, plain, sentence } from "../src/words";

const t = (text: string, ...args: (string | number)[]) => text.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

test("hostile text stays text: no link, no icon, no second line, nothing that cannot be seen", () => {
  assert.equal(plain("[click](command:evil) $(bug)\nnext\u202E\x1b[31m\u2028x"), "[click] (command:evil) $ (bug) next [31m x");
  assert.equal(plain("  ordinary \t title "), "ordinary title");
});

test("a reason is a sentence with its remedy, and a detail is cut to 200 characters", () => {
  assert.equal(sentence({ code: "x", message: "No.", remedy: "Do." }), "No. Do.");
  const long = sentence({ code: "x", message: "No.", detail: "d".repeat(500) });
  assert.equal(long, `No. (${"d".repeat(199)}…)`);
});

test("a failure says all its reasons, and what it has left", () => {
  const reason = { code: "a", message: "One." };
  assert.equal(failureText({ reason, effect: "nothing", reasons: [reason, { code: "b", message: "Two." }] }, t), "One. Two.");
  assert.equal(failureText({ reason, effect: "unknown" }, t), "One. It may be partially applied.");
  assert.match(failureText({ reason, effect: "kept", detail: "/x" }, t), /\/x.*stands/);
});

test("only what is known is claimed of a lost operation", () => {
  assert.match(outcomeText("Fork x", { state: "unknownOperation" }, t), /may be partially applied/);
  assert.match(outcomeText("Fork x", { state: "rolledBack" }, t), /taken back completely/);
  assert.match(outcomeText("Fork x", { state: "failed", stands: { workspace: "/w" } }, t), /has left \/w/);
});

test("ages are short, in the user's language, and never of the future", () => {
  const age = ages("en");
  const now = Date.parse("2026-05-01T12:00:00Z");
  assert.equal(age("2026-05-01T11:57:10Z", now), "2m ago");
  assert.equal(age("2026-04-29T11:00:00Z", now), "2d ago");
  assert.equal(age("2026-05-01T13:00:00Z", now), "now");
  assert.equal(age(null, now), "");
  assert.equal(age("nonsense", now), "");
});
