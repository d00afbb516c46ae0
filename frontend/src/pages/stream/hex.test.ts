import { describe, expect, it } from "vitest";
import { hexLines } from "./hex";

describe("raw bytes", () => {
  it("shows offset, hexadecimal and ASCII", () => {
    expect(hexLines(btoa("\u0000A<b>"))).toBe(`000000  ${"00 41 3c 62 3e".padEnd(47)}  .A<b>`);
  });
});
