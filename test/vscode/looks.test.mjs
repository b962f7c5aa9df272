import assert from "node:assert/strict";
import { test } from "node:test";
import { open, part, Repository, running, set } from "./world.mjs";

const themes = { "Dark Modern": "vs-dark", "Light Modern": "vs", "Dark High Contrast": "hc-black", "Light High Contrast": "hc-light" };

test("how it looks, and what it costs to be there", async t => {
  const repository = await Repository.make("looks", { ".sidefork.json": JSON.stringify({ setup: ["npm ci", "npm run build"] }) });
  await repository.talk("Please remember CODEWORD-LOON4");
  await repository.sidefork("fork", "--no-session", "--name", "looks-try");
  set();
  const sidecars = () => running().filter(({ argv }) => argv.join(" ").endsWith("sidefork serve --stdio")).length;
  const before = sidecars();
  const w = await open(t, repository.root);

  await part(t, w, "at the start of a window it is active, and runs nothing", async t => {
    await w.page.setViewportSize({ width: 1280, height: 4000 }); // a list draws no row that is not in sight, and ours is among the last
    await w.command("Developer: Show Running Extensions");
    const row = w.page.locator(".runtime-extensions-editor .monaco-list-row").filter({ hasText: /Sidefork/i });
    const time = row.locator(".activation-time");
    await time.filter({ hasText: /\d+ms/ }).waitFor();
    t.diagnostic("of the extension host's time: " + await time.textContent());
    assert.equal(sidecars(), before);
    await w.page.keyboard.press("Escape");
    await row.waitFor({ state: "detached" });
    await w.page.setViewportSize({ width: 1280, height: 800 });
  });

  await w.sidefork("Please remember");
  await w.menu(w.row("looks-try"));
  await w.escape();
  await w.menu(w.row("Please remember"));
  await w.pick("Fork Agent Session...");
  await w.formIsWhole();
  await w.form.locator("summary").click();
  for (const [theme, kind] of Object.entries(themes)) {
    await part(t, w, `every text of the form can be read in ${theme}`, async () => {
      await w.command("Preferences: Color Theme");
      await w.choose(theme);
      await w.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await w.form.locator("body." + { vs: "vscode-light", "vs-dark": "vscode-dark", "hc-black": "vscode-high-contrast:not(.vscode-high-contrast-light)", "hc-light": "vscode-high-contrast-light" }[kind]).waitFor();
      await w.field("name").fill("not a..name");
      await w.field("name").press("Enter");
      await w.form.locator("#name-error").filter({ hasText: /\S/ }).waitFor();
      await w.shot("form-" + kind);
      await w.isReadable("the form", w.form.locator("body"));
    });
  }
});
