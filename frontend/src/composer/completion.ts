/** Completions at the cursor of an expression: input fields, functions, measures. No React. */

import type { SchemaField } from "../api/types";

export interface Suggestion {
  /** text that replaces the word */
  text: string;
  /** type or signature */
  detail: string;
  /** one line of documentation; empty for a field */
  doc: string;
  /** distance of the cursor from the end of the text: inside the parentheses */
  back: number;
}
export interface Callable {
  name: string;
  signature: string;
  doc: string;
  bare: boolean;
}

const SHOWN = 8;
const WORD = /[A-Za-z_][A-Za-z0-9_]*$/;

/** The word that ends at the cursor; empty inside a quoted string. */
export function wordAt(text: string, cursor: number): string {
  const before = text.slice(0, cursor);
  if ((before.match(/'/g) ?? []).length % 2) return "";
  return WORD.exec(before)?.[0] ?? "";
}

/** Prefix matches before other matches, fields before functions. */
export function suggestions(
  word: string,
  fields: readonly SchemaField[],
  callables: readonly Callable[],
): Suggestion[] {
  if (!word) return [];
  const low = word.toLowerCase();
  const all: Suggestion[] = [
    ...fields.map(({ name, type, nullable }) => ({
      text: name,
      detail: `${type}${nullable ? ", nullable" : ""}`,
      doc: "",
      back: 0,
    })),
    ...callables.map(({ name, signature, doc, bare }) => ({
      text: `${name}()`,
      detail: signature,
      doc,
      back: bare ? 0 : 1,
    })),
  ];
  const fits = all.filter(({ text }) => text.toLowerCase().includes(low) && text !== word);
  const begins = ({ text }: Suggestion) => text.toLowerCase().startsWith(low);
  return [...fits.filter(begins), ...fits.filter((one) => !begins(one))].slice(0, SHOWN);
}

/** The text after the completion, and the new position of the cursor. */
export function completed(
  text: string,
  cursor: number,
  chosen: Suggestion,
): { text: string; cursor: number } {
  const from = cursor - wordAt(text, cursor).length;
  const called = text[cursor] === "(" && chosen.text.endsWith("()");
  const put = called ? chosen.text.slice(0, -2) : chosen.text;
  return {
    text: text.slice(0, from) + put + text.slice(cursor),
    cursor: from + put.length + (called ? 1 : -chosen.back),
  };
}
