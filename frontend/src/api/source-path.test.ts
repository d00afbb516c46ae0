import { describe, expect, it } from "vitest";
import { parsePath, pathText } from "./source-path";

const PATHS: readonly [string, readonly (string | number)[]][] = [
  ["@timestamp", ["@timestamp"]],
  ["user-id", ["user-id"]],
  ["_id", ["_id"]],
  ["first name", ["first name"]],
  ['["a.b"]', ["a.b"]],
  ["a.b", ["a", "b"]],
  ["tags[0]", ["tags", 0]],
  ["m[0][1].x", ["m", 0, 1, "x"]],
  ['[""]', [""]],
  ['[" x"]', [" x"]],
  ['user["a b.c"].d', ["user", "a b.c", "d"]],
  ["größe", ["größe"]],
  ['["a\\nb"]', ["a\nb"]],
  ['["a[0]"]', ["a[0]"]],
  ['["\\""]', ['"']],
  ['["\\\\"]', ["\\"]],
];

describe("paths", () => {
  it.each(PATHS)("%s is written and read", (text, path) => {
    expect(pathText(path)).toBe(text);
    expect(parsePath(text)).toEqual(path);
  });

  it.each(["", ".", "a.", ".a", "a..b", "[0]", "a[", "a[x]", "a]b", '["x]', '"x"', "a\\b"])(
    "%j is no path",
    (text) => {
      expect(parsePath(text)).toBeNull();
    },
  );

  it("blanks around a name do not count", () => {
    expect(parsePath(" a . b ")).toEqual(["a", "b"]);
  });
});
