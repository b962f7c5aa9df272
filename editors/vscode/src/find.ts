import * as fs from "node:fs";
import * as path from "node:path";

// Which program is the sidecar: the one of the user's settings, the one that came with the extension, the one on PATH.

export type Found = { program: string; from: "setting" | "bundle" | "path" } | { missing: string };

/** Looks in that order. A path that the user has set is the only one looked at: it must not be silently another. */
export function find(setting: string, extension: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Found {
  const name = platform === "win32" ? "sidefork.exe" : "sidefork";
  if (setting !== "") return path.isAbsolute(setting) && isFile(setting) ? { program: setting, from: "setting" } : { missing: setting };
  const bundled = path.join(extension, "bin", name);
  if (isFile(bundled)) return { program: bundled, from: "bundle" };
  const variable = Object.keys(env).find(key => key === "PATH" || platform === "win32" && key.toUpperCase() === "PATH");
  for (const folder of (variable ? env[variable] ?? "" : "").split(path.delimiter)) {
    // A relative entry would be taken from whatever folder is open.
    if (path.isAbsolute(folder) && isFile(path.join(folder, name))) return { program: path.join(folder, name), from: "path" };
  }
  return { missing: name };
}

/** What the machines of Node are called in ELF (e_machine) and Mach-O (cputype) headers. */
const machines: Record<string, { elf: number; mach: number }> = { x64: { elf: 62, mach: 0x01000007 }, arm64: { elf: 183, mach: 0x0100000c } };

/**
 * Whether a program was made for another system or machine, by the first bytes of its file. Starting it would not tell: Linux
 * gives what it does not know to the shell. A script, and what cannot be read, counts as one of this system.
 */
export function isForeign(program: string, platform: NodeJS.Platform = process.platform, arch: string = process.arch): boolean {
  const head = Buffer.alloc(20);
  try {
    const file = fs.openSync(program, "r");
    try {
      if (fs.readSync(file, head, 0, head.length, 0) < head.length) return false;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return false;
  }
  const machine = machines[arch];
  if (head.toString("latin1", 0, 4) === "\x7fELF") return platform !== "linux" || machine !== undefined && head.readUInt16LE(18) !== machine.elf;
  if (head.toString("latin1", 0, 2) === "MZ") return platform !== "win32";
  const mach = head.readUInt32LE(0);
  if (mach === 0xfeedfacf) return platform !== "darwin" || machine !== undefined && head.readUInt32LE(4) !== machine.mach && arch !== "arm64"; // Rosetta
  if (mach === 0xbebafeca) return platform !== "darwin"; // for several machines
  return false;
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
