/** Whole numbers that a browser would round. No React, no network. */

// A quoted text, or a number that may be too long; texts are matched so that digits in them stay.
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** JSON with integers beyond 2^53 as strings, so that no digit is lost. */
export function quoteBigIntegers(json: string): string {
  return json.replace(STRING_OR_NUMBER, (part) =>
    part.length > 15 && /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part)) ? `"${part}"` : part,
  );
}
