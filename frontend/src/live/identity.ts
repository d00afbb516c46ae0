/** Identities of results: JSON arrays, the Kafka keys of results. The same bytes as in Python and Spark. */

import { quoteBigIntegers } from "../api/big-integers";

const SHORT: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/**
 * A part: null, boolean, integer, text (timestamps, dates, decimals, bytes in their text form), or nested
 * parts.
 */
export type IdentityPart = null | boolean | number | bigint | string | readonly IdentityPart[];

/** @throws TypeError for a number that is not an integer: doubles cannot be keys */
export function identityText(parts: readonly IdentityPart[]): string {
  return `[${parts.map(partText).join(",")}]`;
}

function partText(part: IdentityPart): string {
  if (part === null) return "null";
  if (typeof part === "string") return quoted(part);
  if (typeof part === "number" && !Number.isSafeInteger(part))
    throw new TypeError(`${String(part)} cannot be part of an identity`);
  return typeof part === "object" ? identityText(part) : String(part);
}

function quoted(text: string): string {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    out += SHORT[char] ?? (code < 0x20 ? `\\u${code.toString(16).toUpperCase().padStart(4, "0")}` : char);
  }
  return `${out}"`;
}

/** The parts of an identity; integers that a browser would round are texts. */
export function identityParts(text: string): unknown[] {
  const parts: unknown = JSON.parse(quoteBigIntegers(text));
  if (!Array.isArray(parts)) throw new TypeError("an identity is a JSON array");
  return parts;
}
