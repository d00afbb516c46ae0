import { expect, it } from "vitest";
import { commandOf, KEYS } from "./keys";

it("unfolds the fields of a node by a key, in a drawing that only shows too", () => {
  expect(commandOf("u", true)).toBe("fold");
  expect(commandOf("U", false)).toBe("fold");
  expect(KEYS.find(([keys]) => keys === "U")?.[1]).toContain("fields");
});

it("changes nothing by a key where the drawing only shows", () => {
  for (const key of ["a", "c", "Delete"]) expect(commandOf(key, false)).toBeUndefined();
});
