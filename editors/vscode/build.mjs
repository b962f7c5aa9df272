// node build.mjs [test]: the extension and its form into dist/, or the tests into dist/test/.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const common = { bundle: true, sourcemap: false, legalComments: "none", logLevel: "warning" };
const node = { ...common, platform: "node", format: "cjs", target: "node20", supported: { "dynamic-import": false } };

if (process.argv[2] === "test") {
  rmSync("dist/test", { recursive: true, force: true });
  // vscode is not external here: a test that reaches it is an error of the build, not one that a mock could hide.
  await build({ ...node, entryPoints: readdirSync("test").filter(f => f.endsWith(".test.ts")).map(f => "test/" + f), outdir: "dist/test" });
} else {
  // Two files: a window that needs nothing of it loads only the small one.
  await build({ ...node, external: ["vscode", "./main"], minify: true, entryPoints: ["src/extension.ts", "src/main.ts"], outdir: "dist" });
  await build({ ...common, platform: "browser", format: "iife", target: "es2022", minify: true, entryPoints: ["src/form/draw.ts"], outfile: "dist/form.js" });
}
