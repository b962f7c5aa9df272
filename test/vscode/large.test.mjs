import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { open, Repository, set } from "./world.mjs";

// 500 workspaces with 20,000 sessions: WORKBENCH_LARGE=1, since making them takes a minute or two.

test("the view of 500 workspaces with 20,000 sessions opens", { skip: process.env.WORKBENCH_LARGE ? false : "WORKBENCH_LARGE is not set", timeout: 900_000 }, async t => {
  const repository = await Repository.make("large");
  const id = await repository.talk("Please remember CODEWORD-CROWD");
  const { source } = (await repository.sidefork("sessions")).sessions[0];
  const transcript = fs.readFileSync(source, "utf8");
  const projects = path.dirname(path.dirname(source));
  let number = 0;
  for (let n = 1; n < 500; n++) {
    const { root } = repository.child(`tree-${n}`);
    await repository.git("worktree", "add", "-q", "-b", `tree-${n}`, root);
    const folder = path.join(projects, root.replace(/[^0-9A-Za-z]/g, "-"));
    fs.mkdirSync(folder);
    for (let i = 0; i < 40; i++) {
      const other = id.slice(0, 24) + (++number).toString(16).padStart(12, "0");
      fs.writeFileSync(path.join(folder, other + ".jsonl"), transcript.replaceAll(id, other).replaceAll(repository.root, root));
    }
  }
  set();
  const began = Date.now();
  const { repositories } = await repository.sidefork("workspaces");
  t.diagnostic(`the sidecar's own answer, of a new process: ${Date.now() - began} ms for ${repositories[0].workspaces.length} workspaces`);
  const w = await open(t, repository.root);
  const clicked = Date.now();
  await w.sidefork("tree-1");
  t.diagnostic(`from the click on the icon to the rows, with the start of the sidecar: ${Date.now() - clicked} ms`);
  await w.row("Please remember").waitFor();
  const again = Date.now();
  await w.page.locator('.sidebar [aria-label="Refresh"]').first().click();
  await w.page.locator(".sidebar .monaco-progress-container.active").waitFor({ state: "detached" });
  t.diagnostic(`a refresh: ${Date.now() - again} ms`);
  await w.shot("large");
});
