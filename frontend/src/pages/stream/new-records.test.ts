import { describe, expect, it } from "vitest";
import { hexLines } from "./hex";
import { readLines } from "./new-records";

describe("records of a file", () => {
  it("takes a line as a value, and a line with the parts of a record as one", () => {
    const { records } = readLines('{"a": 1}\r\n\n{"key": "k", "value": {"a": 2}}\nplain\n{"value": 1, "other": 2}\n');
    expect(records).toEqual([{ value: '{"a": 1}' }, { key: "k", value: { a: 2 } }, { value: "plain" }, { value: '{"value": 1, "other": 2}' }]);
  });

  it("reads values as objects where the server makes the bytes", () => {
    const { records } = readLines('{"a": 1}\n{"key": "k", "value": "{\\"a\\": 2}"}\n[1]\nplain\n', true);
    expect(records).toEqual([{ value: { a: 1 } }, { key: "k", value: { a: 2 } }, { value: "[1]" }, { value: "plain" }]);
  });

  it("says when there is none", () => {
    expect(readLines(" \n").problem).toContain("no record");
  });
});

describe("raw bytes", () => {
  it("shows offset, hexadecimal and ASCII", () => {
    expect(hexLines(btoa("\u0000A<b>"))).toBe(`000000  ${"00 41 3c 62 3e".padEnd(47)}  .A<b>`);
  });
});
