import { describe, expect, it } from "vitest";
import { LEVELS, levelWords, MODES, modeWords } from "./levels";

describe("the registry's rules", () => {
  it("have words, each its own", () => {
    expect(new Set(LEVELS.map(levelWords)).size).toBe(7);
    expect(new Set(MODES.map(modeWords)).size).toBe(4);
    for (const word of [...LEVELS, ...MODES]) expect([levelWords(word), modeWords(word)]).not.toEqual([word, word]);
    expect(levelWords("NEWER")).toBe("NEWER");
  });
});
