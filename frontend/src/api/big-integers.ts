/** Whole numbers that a browser would round. No React, no network. */

// A quoted text, or a number that may be too long; texts are matched so that digits in them stay.
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

function isTooLong(part: string): boolean {
  return part.length > 15 && /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part));
}

function replaced(json: string, mark: string): string {
  return json.replace(STRING_OR_NUMBER, (part) => (isTooLong(part) ? `"${mark}${part}"` : part));
}

/** JSON with integers beyond 2^53 as strings, so that no digit is lost. */
export function quoteBigIntegers(json: string): string {
  return replaced(json, "");
}

/** The digits of a number that count: without sign, point, exponent and zeros around them. */
function digitsOf(number: string): string {
  return number
    .replace(/[eE].*/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+|0+$/g, "");
}

/** True if a browser would round a number of this JSON. */
export function losesDigits(json: string): boolean {
  return (json.match(STRING_OR_NUMBER) ?? []).some(
    (part) => isTooLong(part) || (!part.startsWith('"') && digitsOf(part) !== digitsOf(String(Number(part)))),
  );
}

const MARK = "\u0000";

/** JSON with integers beyond 2^53 as texts that `withBigIntegers` knows: where they are written again. */
export function markBigIntegers(json: string): string {
  return replaced(json, "\\u0000");
}

/** The same value with marked texts as bigint. */
export function withBigIntegers<T>(value: T): T;
export function withBigIntegers(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withBigIntegers(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withBigIntegers(part as unknown)]),
  );
}

/** A value as JSON writes it, with every digit of a bigint. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? MARK + String(part) : part,
  ) as string | undefined;
  return text?.replace(/"\\u0000(-?\d+)"/g, "$1") ?? "";
}
