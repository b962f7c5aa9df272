import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { find, isForeign } from "../src/find";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "sidefork-find-"));
after(() => fs.rmSync(root, { recursive: true }));
function file(name: string, content: string | Buffer = "#!/bin/sh\n"): string {
  const made = path.join(root, name);
  fs.mkdirSync(path.dirname(made), { recursive: true });
  fs.writeFileSync(made, content);
  return made;
}

test("the user's setting comes first, then the bundled program, then PATH", () => {
  const own = file("own/sidefork"), bundled = file("extension/bin/sidefork"), onPath = file("path/sidefork");
  const env = { PATH: ["relative", path.dirname(onPath)].join(path.delimiter) };
  assert.deepEqual(find(own, path.join(root, "extension"), env, "linux"), { program: own, from: "setting" });
  assert.deepEqual(find("", path.join(root, "extension"), env, "linux"), { program: bundled, from: "bundle" });
  assert.deepEqual(find("", path.join(root, "none"), env, "linux"), { program: onPath, from: "path" });
  assert.deepEqual(find("", path.join(root, "none"), {}, "linux"), { missing: "sidefork" });
});

test("a set program that is not there is never silently another one", () => {
  assert.deepEqual(find("/nowhere/sidefork", path.join(root, "extension"), {}, "linux"), { missing: "/nowhere/sidefork" });
  assert.deepEqual(find("sidefork", path.join(root, "extension"), {}, "linux"), { missing: "sidefork" });
});

test("a relative entry of PATH is not looked at", () => {
  const before = process.cwd();
  process.chdir(path.dirname(file("here/sidefork")));
  try {
    assert.deepEqual(find("", path.join(root, "none"), { PATH: "." }, "linux"), { missing: "sidefork" });
  } finally {
    process.chdir(before);
  }
});

test("a program for another system or machine is known by its first bytes", () => {
  const elf = Buffer.alloc(64);
  elf.write("\x7fELF", "latin1");
  elf.writeUInt16LE(62, 18);
  const mach = Buffer.alloc(64);
  mach.writeUInt32LE(0xfeedfacf, 0);
  mach.writeUInt32LE(0x0100000c, 4);
  const [linux, darwin, windows, script] = [file("elf", elf), file("mach", mach), file("pe", Buffer.from("MZ" + " ".repeat(40))), file("script", "#!/bin/sh\nexec something else\n")];
  assert.equal(isForeign(linux, "linux", "x64"), false);
  assert.equal(isForeign(linux, "linux", "arm64"), true);
  assert.equal(isForeign(linux, "darwin", "x64"), true);
  assert.equal(isForeign(darwin, "darwin", "arm64"), false);
  assert.equal(isForeign(darwin, "darwin", "x64"), true);
  assert.equal(isForeign(darwin, "linux", "x64"), true);
  assert.equal(isForeign(windows, "win32", "x64"), false);
  assert.equal(isForeign(windows, "linux", "x64"), true);
  assert.equal(isForeign(script, "linux", "x64"), false);
  assert.equal(isForeign(path.join(root, "none"), "linux", "x64"), false);
});
