/** Completions at the cursor of SQL text: names, functions, keywords. No React. */

import type { Completion, CompletionResult } from "@codemirror/autocomplete";
import type { Callable } from "../completion";
import { codeOf, isInert, nameSql } from "./text";
import { KEYWORDS, TABLE_FUNCTIONS } from "./words";

export interface Field {
  name: string;
  type: string;
  nullable?: boolean | undefined;
}
/** What FROM may name: a stream, a table, or a view with the fields that it is known to have. */
export interface Relation {
  name: string;
  kind: string;
  fields: readonly Field[];
}
export interface Known {
  relations: readonly Relation[];
  /** functions and measures */
  callables: readonly Callable[];
}

const NAME = "(`[^`]+`|[A-Za-z_][A-Za-z0-9_]*)";
const WORD = /`?[A-Za-z0-9_]*$/;
const QUALIFIED = new RegExp(`${NAME}\\.$`);
/** What a clause begins with is no alias. */
const ALIAS = `(?!(?:${KEYWORDS.join("|")})\\b)${NAME}`;
const READS = new RegExp(`\\b(?:FROM|JOIN|TABLE)\\s+(?:TABLE\\s+)?${NAME}(?:\\s+(?:AS\\s+)?${ALIAS})?`, "gi");
const DEFINES = new RegExp(`\\bCREATE\\s+(VIEW|SOURCE)\\s+${NAME}|\\b(WITH)\\s+${NAME}\\s+AS\\b`, "gi");
const RELATION_NEXT = /\b(FROM|JOIN|TABLE|STREAM)\s+$/i;

/** `explicit`: asked for by a key, so an empty word is completed too. */
export function sqlCompletions(
  text: string,
  at: number,
  explicit: boolean,
  { relations, callables }: Known,
): CompletionResult | null {
  if (isInert(text, at)) return null;
  const code = codeOf(text);
  const word = WORD.exec(code.slice(0, at))?.[0] ?? "";
  const before = code.slice(0, at - word.length);
  const qualifier = QUALIFIED.exec(before)?.[1];
  if (/^\d/.test(word) || !(word || explicit || qualifier !== undefined)) return null;
  const all = [...relations, ...defined(code, relations)];
  const read = readBy(statementAt(code, at), all);
  const inQuotes = word.startsWith("`");
  const from = at - word.length + (inQuotes ? 1 : 0);
  const named = (options: Completion[]) => ({
    from,
    options: inQuotes ? options.map((one) => ({ ...one, apply: `${one.label}\`` })) : options,
    validFor: /^\w*$/,
  });
  if (qualifier !== undefined) {
    const name = unquoted(qualifier);
    return named(fieldsOf(read.filter((one) => one.alias === name).map(({ relation }) => relation)));
  }
  const next = RELATION_NEXT.exec(before)?.[1]?.toUpperCase();
  if (next !== undefined)
    return named([
      ...all.map(asOption),
      ...(next === "FROM" || next === "JOIN" ? [...functionsOfFrom(), keyword("TABLE")] : []),
    ]);
  const names = [...fieldsOf(read.map(({ relation }) => relation)), ...all.map(asOption)];
  return named(inQuotes ? names : [...names, ...callables.map(asCall), ...KEYWORDS.map(keyword)]);
}

/** The statement around a position, up to its semicolons. */
function statementAt(code: string, at: number): string {
  const end = code.indexOf(";", at);
  return code.slice(code.lastIndexOf(";", at - 1) + 1, end < 0 ? code.length : end);
}

/** Views and sources that the text defines and nothing else knows. */
function defined(code: string, known: readonly Relation[]): Relation[] {
  const names = [...code.matchAll(DEFINES)].map((found) => ({
    name: unquoted(found[2] ?? found[4] ?? ""),
    kind: found[1]?.toLowerCase() ?? "view",
    fields: [],
  }));
  return names.filter(({ name }) => !known.some((one) => one.name === name));
}

function readBy(statement: string, known: readonly Relation[]): { alias: string; relation: Relation }[] {
  return [...statement.matchAll(READS)].flatMap(([, name = "", alias]: (string | undefined)[]) => {
    const relation = known.find((one) => one.name === unquoted(name));
    return relation ? [{ alias: unquoted(alias ?? name), relation }] : [];
  });
}

function fieldsOf(relations: readonly Relation[]): Completion[] {
  const found = new Map(relations.flatMap(({ fields }) => fields.map((field) => [field.name, field])));
  return [...found.values()].map(({ name, type, nullable }) => ({
    label: name,
    apply: nameSql(name),
    detail: `${type}${nullable ? ", nullable" : ""}`,
    boost: 2,
  }));
}

function asOption({ name, kind }: Relation): Completion {
  return { label: name, apply: nameSql(name), detail: kind, boost: 1 };
}

function asCall({ name, signature, doc, bare }: Callable): Completion {
  return { label: name, apply: bare ? `${name}()` : `${name}(`, detail: signature, info: doc };
}

function functionsOfFrom(): Completion[] {
  return TABLE_FUNCTIONS.map((name) => ({
    label: name,
    apply: `${name}(TABLE `,
    detail: "table function",
  }));
}

function keyword(word: string): Completion {
  return { label: word, detail: "keyword", boost: -1 };
}

function unquoted(name: string): string {
  return name.startsWith("`") ? name.slice(1, -1) : name;
}
