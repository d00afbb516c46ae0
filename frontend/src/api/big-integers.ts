/** Whole numbers that a browser would round. No React, no network. */

// A text in quotes, or the digits of a number that may be too long; texts are matched so that digits in them stay.
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** A JSON text in which whole numbers beyond 2^53 are texts, so that each of their digits is shown. */
export function quoteBigIntegers(json: string): string {
  return json.replace(STRING_OR_NUMBER, (part) => (part.length > 15 && /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part)) ? `"${part}"` : part));
}
