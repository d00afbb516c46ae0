/** The SQL face of documents, answered by the server's own code in a process of its own. For tests. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** @returns `ask`, one question at a time, and `close` */
export function openSqlFace() {
  const python = process.env.WEIR_PYTHON ?? `${ROOT}.venv/bin/python`;
  const child = spawn(python, ["-m", "tests.support.sql_face"], {
    cwd: ROOT,
    env: { ...process.env, PYTHONPATH: "." },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(JSON.parse(line)));
  let failed = null; // of a Python that can't be started, before the first question
  const fail = (error) => {
    failed = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  child.on("error", fail);
  child.on("exit", (code) => fail(new Error(`the SQL face ended with ${String(code)}`)));
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        if (failed) {
          reject(failed);
          return;
        }
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(question)}\n`);
      }),
    close: () => child.stdin.end(),
  };
}

/** How many random edits are played. */
export const EDITS = Number(process.env.WEIR_EDITS ?? 60);
export const SEED = Number(process.env.WEIR_RANDOM_SEED ?? 1);
