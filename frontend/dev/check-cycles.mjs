// Fails when modules of src import each other in a cycle: `node dev/check-cycles.mjs`. Type-only imports count too.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const SRC = resolve(import.meta.dirname, "../src");
const IMPORT = /(?:from|import\()\s*"(\.{1,2}\/[^"]+)"/g;

const files = readdirSync(SRC, { recursive: true }).map((name) => join(SRC, name)).filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.tsx?$/.test(name));
const imports = new Map(files.map((file) => [file, [...readFileSync(file, "utf8").matchAll(IMPORT)].flatMap(([, path]) => [".ts", ".tsx"].map((ending) => resolve(dirname(file), path) + ending).filter(existsSync))]));

const done = new Set();
const cycles = [];

function visit(file, path) {
  const start = path.indexOf(file);
  if (start >= 0) cycles.push([...path.slice(start), file]);
  if (start >= 0 || done.has(file)) return;
  for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
  done.add(file);
}

for (const file of files) visit(file, []);
for (const cycle of cycles) process.stderr.write(`import cycle: ${cycle.map((file) => relative(SRC, file)).join(" → ")}\n`);
process.exitCode = cycles.length ? 1 : 0;
