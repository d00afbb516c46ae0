/**
 * The path of a field in a record and its text form: `user.id`, `tags[0]`, `["a.b"]` for a name with a dot.
 * No React.
 */

export type SourcePath = readonly (string | number)[];

const BARE = /^(?! )[^.[\]"\\\u0000-\u001f\u007f\u2028\u2029]+(?<! )$/;

/** The text of a path; the same as the server writes in its messages. */
export function pathText(path: SourcePath): string {
  return path
    .map((segment, at) => {
      if (typeof segment === "number") return `[${String(segment)}]`;
      if (BARE.test(segment)) return at === 0 ? segment : `.${segment}`;
      return `[${JSON.stringify(segment)}]`;
    })
    .join("");
}

const SEGMENT = /\[(\d{1,4})\]|\[("(?:[^"\\]|\\.)*")\]|(\.?)([^.[\]"\\]+)/y;

/** The path that a text means; null where it is none. */
export function parsePath(text: string): SourcePath | null {
  const path: (string | number)[] = [];
  SEGMENT.lastIndex = 0;
  while (SEGMENT.lastIndex < text.length) {
    const found = SEGMENT.exec(text);
    if (!found) return null;
    const [, index, quoted, dot, bare] = found;
    if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) {
      const name = unquoted(quoted);
      if (name === null) return null;
      path.push(name);
    } else if (bare === undefined || (dot === "") !== (path.length === 0)) return null;
    else path.push(bare.trim());
  }
  return typeof path[0] === "string" ? path : null;
}

function unquoted(text: string): string | null {
  try {
    return String(JSON.parse(text));
  } catch {
    return null;
  }
}
