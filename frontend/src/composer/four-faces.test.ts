/**
 * Random edits over the four faces of a document. After each of them every face gives back the same document,
 * or says what it can't show; and comments of the YAML stay.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EDITS as COUNT, openSqlFace, SEED, type SqlFace, type Written } from "../../dev/sql-face.mjs";
import { setHead, setOutput, setParameter } from "./document-edits";
import { asPlain, mergeDocument } from "./document-merge";
import { plainOf, syntaxProblems } from "./document-text";
import { commentsOf, EXAMPLES } from "./drawing/examples.test-data";
import { graphOf, outputId } from "./drawing/graph";
import { outlineOf } from "./drawing/graph-edits";
import { EDITS as DRAWING_EDITS, randomFrom, type Pick } from "./drawing/random-edits.test-data";
import { FORM_EDITS, SQL_EDITS, YAML_EDITS } from "./face-edits.test-data";
import { inputsOf } from "./outline";

type Face = "drawing" | "form" | "yaml" | "sql";
const FACES: readonly Face[] = ["drawing", "form", "form", "yaml", "sql", "sql"];
/** Edits in a row after which SQL has shown nothing; then the last document that it showed is taken again. */
const MISSES = 4;

let sqlFace: SqlFace;
beforeAll(() => {
  sqlFace = openSqlFace();
});
afterAll(() => {
  sqlFace.close();
});

describe("a document after random edits in its four faces", () => {
  const each = Math.ceil(COUNT / EXAMPLES.length);
  const seen = new Set<Face>();

  it.each(EXAMPLES)("%s", { timeout: 600_000 }, async (_name, start) => {
    const random = randomFrom(SEED);
    const pick: Pick = (from) => from[Math.floor(random() * from.length)];
    let text = start;
    let shown = await checkFaces(text);
    let good = text;
    let misses = 0;
    for (let made = 0; made < each;) {
      const face = pick(FACES) ?? "form";
      const next = await editIn(face, text, shown, pick);
      if (next === null || next === text) continue;
      made += 1;
      seen.add(face);
      const context = `by ${face}:\n${text}\n--- became\n${next}`;
      expect(syntaxProblems(next), context).toEqual([]);
      checkComments(text, next, context);
      if (face === "form" || face === "drawing") checkAllComments(text, next, context);
      shown = await checkFaces(next);
      text = next;
      misses = shown.ok ? 0 : misses + 1;
      if (shown.ok) good = text;
      if (misses < MISSES) continue;
      text = good;
      shown = await checkFaces(text);
      misses = 0;
    }
  });

  it("was edited in each of them", () => {
    expect(seen.size).toBe(new Set(FACES).size);
  });
});

async function editIn(face: Face, text: string, shown: Written, pick: Pick): Promise<string | null> {
  const outline = outlineOf(text);
  switch (face) {
    case "drawing":
      return pick(DRAWING_EDITS)?.({ text, outline, graph: graphOf(outline), pick })?.text ?? null;
    case "form":
      return pick(FORM_EDITS)?.({ text, outline, pick }) ?? null;
    case "yaml":
      return pick(YAML_EDITS)?.({ text, outline, pick }) ?? null;
    case "sql":
      return shown.sql === null ? null : typeSql(text, shown.sql, pick);
  }
}

/** An edit of the SQL that is shown, merged into the YAML as the composer does it. */
async function typeSql(text: string, sql: string, pick: Pick): Promise<string | null> {
  const typed = pick(SQL_EDITS)?.(sql, pick) ?? null;
  if (typed === null) return null;
  const { name } = outlineOf(text);
  const base = await sqlFace.ask({ sql, name });
  const read = await sqlFace.ask({ sql: typed, name });
  if (read.document === null) {
    expect(read.said, typed).not.toEqual([]);
    return null;
  }
  const merged = mergeDocument(text, read.document, asPlain(base.document));
  const after = await sqlFace.ask({ yaml: merged });
  if (read.ok) expect(after.means, `${typed}\n--- became\n${merged}`).toBe(read.means);
  return merged;
}

/** What each face shows is the document that the YAML says. */
async function checkFaces(text: string): Promise<Written> {
  checkForm(text);
  checkDrawing(text);
  const written = await sqlFace.ask({ yaml: text });
  if (written.sql === null) {
    expect(written.said, text).not.toEqual([]);
    return written;
  }
  if (!written.ok) return written;
  const read = await sqlFace.ask({ sql: written.sql, name: outlineOf(text).name });
  const context = `${text}\n--- as SQL\n${written.sql}`;
  expect(read.said, context).toEqual([]);
  expect(read.means, context).toBe(written.means);
  expect(mergeDocument(text, read.document ?? {}, read.document), context).toBe(text);
  return written;
}

/** The form writes nothing new where each field is set to what it shows. */
function checkForm(text: string): void {
  const { name, steps, outputs } = outlineOf(text);
  const plain = plainOf(text);
  expect(plainOf(setHead(text, "name", name))).toEqual(plain);
  for (const step of steps)
    for (const [parameter, value] of Object.entries(step.params))
      expect(plainOf(setParameter(text, step.name, [parameter], value)), text).toEqual(plain);
  for (const output of outputs)
    expect(plainOf(setOutput(text, output.name, output)), `${output.name} of ${text}`).toEqual(plain);
}

/** The drawing has a node for each source, step and output, and an edge for each reference to one of them. */
function checkDrawing(text: string): void {
  const outline = outlineOf(text);
  const { nodes, edges } = graphOf(outline);
  const names = [...outline.sources, ...outline.steps].map(({ name }) => name);
  expect(nodes.map(({ id }) => id).sort()).toEqual(
    [...names, ...outline.outputs.map(({ name }) => outputId(name))].sort(),
  );
  const known = (reference: string) => names.includes(reference.split(".")[0] ?? "");
  const wanted = [
    ...outline.steps.flatMap((step) => inputsOf(step).map((input) => [input, step.name])),
    ...outline.outputs.map(({ name, input }) => [input, outputId(name)]),
  ].filter(([reference = ""]) => known(reference));
  expect(edges.map(({ reference, to }) => `${reference} ${to}`).sort(), text).toEqual(
    wanted.map((wire) => wire.join(" ")).sort(),
  );
}

/** Where every source, step and output stays, the form and the drawing leave all comments. */
function checkAllComments(before: string, after: string, context: string): void {
  const [was, is] = [outlineOf(before), outlineOf(after)];
  for (const section of ["sources", "steps", "outputs"] as const)
    if (was[section].some(({ name }) => !is[section].some((row) => row.name === name))) return;
  for (const [comment] of before.matchAll(/# \w+ \w+!/g))
    expect(after, `${comment} ${context}`).toContain(comment);
}

/** Comments stay as long as the source or step that they are about; one of the other kind is another. */
function checkComments(before: string, after: string, context: string): void {
  const [was, is] = [outlineOf(before), outlineOf(after)];
  const kept = [
    ...is.sources.filter(({ name }) => was.sources.some((row) => row.name === name)),
    ...is.steps.filter(({ name }) => was.steps.some((row) => row.name === name)),
  ];
  for (const { name } of kept)
    for (const comment of commentsOf(name))
      if (before.includes(comment)) expect(after, `${comment} ${context}`).toContain(comment);
}
