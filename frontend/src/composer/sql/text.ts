/** Parts of SQL text that are no code: strings, quoted names, comments. No React. */

import reservedWords from "./reserved-words.json";

const PARTS =
  /'(?:\\[^]|[^'\\])*(?:'|$)|"(?:\\[^]|[^"\\])*(?:"|$)|`[^`]*(?:`|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g;

function isComment(part: string): boolean {
  return part.startsWith("--") || part.startsWith("/*");
}

export function hasComments(text: string): boolean {
  return (text.match(PARTS) ?? []).some(isComment);
}

/** True inside a string or a comment; a quoted name is code. */
export function isInert(text: string, at: number): boolean {
  for (const part of text.matchAll(PARTS)) {
    const end = part.index + part[0].length;
    if (part.index >= at) return false;
    const closed = !part[0].startsWith("--") && part[0].length > 1 && /['"`/]$/.test(part[0]);
    if (at < end || (at === end && !closed)) return !part[0].startsWith("`");
  }
  return false;
}

/** The text with strings and comments blanked, at the same places. */
export function codeOf(text: string): string {
  return text.replace(PARTS, (part) => (part.startsWith("`") ? part : " ".repeat(part.length)));
}

/** A position in Unicode characters, as the server counts, in UTF-16 units. */
export function offsetOf(text: string, characters: number): number {
  let offset = 0;
  for (let left = characters; left > 0 && offset < text.length; left -= 1)
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}

const RESERVED: ReadonlySet<string> = new Set(reservedWords);

/** A name, in backticks where it would be read as something else. */
export function nameSql(name: string): string {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !RESERVED.has(name.toLowerCase());
  return isPlain ? name : `\`${name.replaceAll("`", "``")}\``;
}

export function stringSql(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n")}'`;
}
