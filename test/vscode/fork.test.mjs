import assert from "node:assert/strict";
import { test } from "node:test";
import { open, Repository, set } from "./world.mjs";

test("a session forked from the view goes on in a terminal of the child", async t => {
  const repository = await Repository.make("fork");
  await repository.talk("Please remember CODEWORD-HERON7");
  set({ "sidefork.open.child": "newWindow" });
  const w = await open(t, repository.root);
  await w.sidefork("Please remember");
  await w.shot("x1");
  await w.menu(w.row("Please remember"));
  await w.shot("x2");
  await w.pick("Fork Agent Session...");
  await w.formIsWhole();
  await w.shot("x3");
  const opened = w.page.context().waitForEvent("page");
  await w.field("name").press("Enter");
  const child = w.of(await opened);
  await child.ready();
  await child.shows("CODEWORD-HERON7");
  await child.shot("x4");
});
