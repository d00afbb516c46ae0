import { describe, expect, it } from "vitest";
import { LEVELS, levelText, MODES, modeText } from "./compatibility-levels";

describe("the registry's rules", () => {
  it("have words, each its own", () => {
    expect(new Set(LEVELS.map(levelText)).size).toBe(7);
    expect(new Set(MODES.map(modeText)).size).toBe(4);
    for (const word of [...LEVELS, ...MODES])
      expect([levelText(word), modeText(word)]).not.toEqual([word, word]);
    expect(levelText("NEWER")).toBe("NEWER");
  });
});
