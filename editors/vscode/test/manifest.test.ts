import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import { shownReasons } from "../src/nodes";
import { sidecarSettings } from "../src/settings";

// What package.json promises, held against the sources. Tests run in the extension's folder.

interface Entry { command: string; when?: string; group?: string }
interface Manifest {
  contributes: {
    commands: { command: string; title: string; enablement?: string }[];
    menus: Record<string, Entry[]>;
    configuration: { properties: Record<string, { scope?: string; default?: unknown }> };
  };
}

const read = (file: string) => fs.readFileSync(file, "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest;
const { commands, menus, configuration } = manifest.contributes;
const languages = ["es", "fr", "ja", "ko", "zh-cn"];
const json = (file: string) => JSON.parse(read(file)) as Record<string, string>;
const sources = fs.readdirSync("src", { recursive: true, encoding: "utf8" }).filter(file => file.endsWith(".ts")).map(file => read("src/" + file)).join("\n");

test("every language has exactly the same contributed strings, and all that are used", () => {
  const english = Object.keys(json("package.nls.json"));
  const used = [...read("package.json").matchAll(/"%([\w.]+)%"/g)].map(match => match[1]!);
  assert.deepEqual([...new Set(used)].sort(), [...english].sort());
  for (const language of languages) assert.deepEqual(Object.keys(json(`package.nls.${language}.json`)), english, language);
});

test("every word of the sources is translated into every language, with its places", () => {
  const words = [...sources.matchAll(/\bt\(("(?:[^"\\]|\\.)*")/g)].map(match => JSON.parse(match[1]!) as string);
  const english = [...new Set(words)].sort();
  const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(match => match[0]).sort();
  for (const language of languages) {
    const bundle = json(`l10n/bundle.l10n.${language}.json`);
    assert.deepEqual(Object.keys(bundle).sort(), english, language);
    for (const [text, translated] of Object.entries(bundle)) assert.deepEqual(places(translated), places(text), `${language}: ${text}`);
  }
});

test("an entry with a reason is disabled and not in the palette, and there is one for each reason that is shown", () => {
  const reasons = commands.filter(one => one.command.startsWith("sidefork.forkSession."));
  assert.deepEqual(reasons.map(one => one.command.slice("sidefork.forkSession.".length)).sort(), [...shownReasons, "other", "session"].sort());
  for (const one of reasons) {
    assert.equal(one.enablement, "false", one.command);
    assert.ok(menus.commandPalette!.some(entry => entry.command === one.command && entry.when === "false"), one.command);
  }
});

test("every enabled command is implemented, no menu names one that is not there, and none has a name of the sidecar's", () => {
  const names = commands.map(one => one.command);
  for (const one of commands) {
    if (one.enablement !== "false") assert.match(read("src/extension.ts"), new RegExp(`"${one.command.slice("sidefork.".length)}"`));
  }
  for (const entry of Object.values(menus).flat()) assert.ok(names.includes(entry.command), entry.command);
  const sidecar = ["workspaces", "sessions", "inspect", "plan", "fork", "carry", "outcome", "recover", "locate", "guard", "settings", "trust", "adopt", "archive", "remove", "compare", "resume"];
  for (const name of sidecar) assert.ok(!names.includes("sidefork." + name), name);
});

test("no menu is a proposed one", () => {
  const stable = ["view/title", "view/item/context", "scm/sourceControl", "scm/repository", "explorer/context", "terminal/context", "terminal/title/context", "editor/title/context", "commandPalette"];
  for (const menu of Object.keys(menus)) assert.ok(stable.includes(menu), menu);
});

test("no workspace may say which program runs, or what the sidecar may do", () => {
  const { properties } = configuration;
  for (const name of ["path", ...sidecarSettings]) assert.equal(properties["sidefork." + name]?.scope, "machine", name);
  for (const name of sidecarSettings) assert.ok([null, undefined].includes(properties["sidefork." + name]!.default as null) || name === "agents", `${name} has a default of its own`);
});

test("the sidecar's settings are those of docs/settings.md", () => {
  const documented = [...read("../../docs/settings.md").matchAll(/^\| `([\w.]+)` \|/gm)].map(match => match[1]!.replace(/^agents\.NAME\..*/, "agents"))
    .filter(name => !/^ssh(\.|$)/.test(name)); // of --host, which is the command line's alone
  assert.deepEqual([...new Set(documented)].sort(), [...sidecarSettings].sort());
});
