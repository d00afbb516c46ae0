/** Random edits by form, YAML and SQL, for the test of the four faces. Those by drawing are in `drawing/`. */

import {
  addSource,
  addStep,
  addTopicOutput,
  removeOutput,
  setDelay,
  setHead,
  setLate,
  setOutput,
  setParameter,
  setSetting,
} from "./document-edits";
import type { Pick } from "./drawing/random-edits.test-data";
import { OPERATORS } from "./operators";
import type { Outline } from "./outline";

interface State {
  text: string;
  outline: Outline;
  pick: Pick;
}
type Edit = (state: State) => string | null;

const head: Edit = ({ text, pick }) =>
  setHead(text, "description", pick(["", 'Rows: of "one" kind', "# no comment", "two\nlines", "it's"]) ?? "");

const setting: Edit = ({ text, pick }) =>
  pick([
    () => setSetting(text, "mode", pick(["auto", "microbatch"])),
    () => setSetting(text, "engine", pick(["shared", "dedicated"])),
    () => setSetting(text, "watermark", pick(["min", "max"])),
    () => setSetting(text, "mode", undefined),
  ])?.() ?? null;

const delay: Edit = ({ text, outline, pick }) => {
  const source = pick(outline.sources.filter(({ kind }) => kind === "stream"))?.name;
  return source ? setDelay(text, source, pick(["", "3s", "1 min", "0s"]) ?? "") : null;
};

const source: Edit = ({ text, outline, pick }) => {
  const of = pick(outline.sources);
  return of ? addSource(text, outline, of.kind, of.of) : null;
};

const step: Edit = ({ text, outline, pick }) => {
  const op = pick(["filter", "derive", "sample", "union", "aggregate", "deduplicate"]) ?? "";
  const operator = OPERATORS[op];
  return operator ? addStep(text, outline, op, operator) : null;
};

/** Parameters of some operators that fit any rows. */
const VALUES: Readonly<Record<string, readonly (readonly [readonly string[], unknown])[]>> = {
  filter: [
    [["where"], "_offset >= 0"],
    [["where"], "_timestamp IS NOT NULL AND 'a''b' <> \"#\""],
  ],
  derive: [[["fields", "at_ms"], "unix_millis(_timestamp)"]],
  aggregate: [
    [["grace"], "3s"],
    [["grace"], undefined],
    [["measures", "rows_seen"], "count()"],
    [["measures", "newest"], "max(_timestamp)"],
    [["emit"], "final"],
    [["emit"], undefined],
  ],
  sample: [[["fraction"], 0.25]],
  deduplicate: [[["within"], "1h"]],
  throttle: [[["every"], "2 min"]],
};

const parameter: Edit = ({ text, outline, pick }) => {
  const one = pick(outline.steps.filter(({ op }) => op in VALUES));
  const [path, value] = pick(VALUES[one?.op ?? ""] ?? []) ?? [];
  return one && path ? setParameter(text, one.name, path, value) : null;
};

const late: Edit = ({ text, outline, pick }) => {
  const one = pick(outline.steps.filter(({ op, params }) => op === "aggregate" && params["window"]));
  return one ? setLate(text, outline, one.name, one.params["late"] === undefined) : null;
};

const output: Edit = ({ text, outline, pick }) => {
  const one = pick(outline.outputs);
  const input = pick([...outline.steps, ...outline.sources])?.name;
  if (!one || !input) return null;
  return (
    pick([
      () => setOutput(text, one.name, { ...one, input }),
      () => addTopicOutput(text, outline, input),
      () => (outline.outputs.length > 1 ? removeOutput(text, one.name) : null),
    ])?.() ?? null
  );
};

export const FORM_EDITS: readonly Edit[] = [
  head,
  setting,
  delay,
  source,
  step,
  parameter,
  parameter,
  late,
  output,
];

let comments = 0;

/** A comment on a line of its own, where YAML allows one. */
const comment: Edit = ({ text, pick }) => {
  const lines = text.split("\n");
  const at = pick([...lines.keys()].filter((index) => /^ {2}\w+:/.test(lines[index] ?? "")));
  if (at === undefined) return null;
  comments += 1;
  return [...lines.slice(0, at), `  # typed ${String(comments)}!`, ...lines.slice(at)].join("\n");
};

/** A comment behind a parameter. */
const beside: Edit = ({ text, pick }) => {
  const lines = text.split("\n");
  const at = pick([...lines.keys()].filter((index) => /^ {4}\w+: \w+$/.test(lines[index] ?? "")));
  if (at === undefined) return null;
  comments += 1;
  return lines.with(at, `${lines[at] ?? ""} # typed ${String(comments)}!`).join("\n");
};

/** Another length of a duration. */
const length: Edit = ({ text, pick }) => {
  const found = pick([...text.matchAll(/\b(\d+)(s|m|h)\b/g)]);
  if (!found) return null;
  const [word, digits = "1", unit = "s"] = found;
  return (
    text.slice(0, found.index) + String(Number(digits) + 1) + unit + text.slice(found.index + word.length)
  );
};

/** An empty line, and spaces at the end of one. */
const layout: Edit = ({ text, pick }) => {
  const lines = text.split("\n");
  const at = pick([...lines.keys()].filter((index) => /^\w+:/.test(lines[index] ?? "")));
  return at === undefined ? null : [...lines.slice(0, at), "", ...lines.slice(at)].join("\n");
};

export const YAML_EDITS: readonly Edit[] = [comment, beside, beside, length, layout];

type SqlEdit = (sql: string, pick: Pick) => string | null;

const VIEW = /CREATE VIEW (\w+) AS/g;

const number: SqlEdit = (sql, pick) => {
  const found = pick([...sql.matchAll(/(?<![\w.'])(\d+)(?![\w.])/g)]);
  if (!found) return null;
  const [digits] = found;
  return sql.slice(0, found.index) + String(Number(digits) + 1) + sql.slice(found.index + digits.length);
};

const rename: SqlEdit = (sql, pick) => {
  const name = pick([...sql.matchAll(VIEW)])?.[1];
  return name ? sql.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name.slice(0, 20)}_q`) : null;
};

const view: SqlEdit = (sql, pick) => {
  const name = pick([...sql.matchAll(VIEW)])?.[1];
  if (!name || sql.includes("CREATE VIEW seen ")) return null;
  return `${sql.trimEnd()}\nCREATE VIEW seen AS SELECT * FROM ${name} WHERE TRUE;\n`;
};

const removal: SqlEdit = (sql, pick) => {
  const statements = sql.split(/(?<=;)\n/);
  const at = pick([...statements.keys()].filter((index) => !(statements[index] ?? "").startsWith("SET")));
  return at === undefined || statements.length < 2 ? null : statements.filter((_, i) => i !== at).join("\n");
};

const condition: SqlEdit = (sql, pick) => {
  const found = pick([...sql.matchAll(/\bWHERE /g)]);
  return found ? `${sql.slice(0, found.index)}WHERE 1 = 1 AND ${sql.slice(found.index + 6)}` : null;
};

export const SQL_EDITS: readonly SqlEdit[] = [number, rename, view, removal, condition];
