import { describe, expect, it } from "vitest";
import { afterRemoval, isAsked } from "./kept-focus";

/** An element with these buttons that remove rows, and these inputs besides. */
function element(removers: readonly string[], others: readonly string[] = [], isConnected = true) {
  return {
    isConnected,
    querySelectorAll: (selector: string) =>
      selector.includes("Remove") ? removers : [...removers, ...others],
  } as unknown as Parameters<typeof afterRemoval>[0]["around"][number]["element"];
}

describe("when a row is removed, the focus", () => {
  const gone = { isConnected: false };
  const row = { element: element([], [], false), at: 0 };

  it("goes to the row in its place, or to the last one", () => {
    const list = element(["a", "c"], ["Add"]);
    expect(afterRemoval({ button: gone, around: [row, { element: list, at: 1 }] })).toBe("c");
    expect(afterRemoval({ button: gone, around: [row, { element: list, at: 2 }] })).toBe("c");
    expect(afterRemoval({ button: gone, around: [row, { element: list, at: 0 }] })).toBe("a");
  });

  it("stays in the list when no row is left", () => {
    const list = { element: element([], ["Name", "Add"]), at: 0 };
    const page = { element: element(["of another list"]), at: 3 };
    expect(afterRemoval({ button: gone, around: [row, list, page] })).toBe("Add");
  });

  it("is waited for while the question is open that the row's button asks", () => {
    const table = element(["a"]);
    const [question, other] = [element([]), element([])];
    const within = (dialog: unknown) => ({ closest: () => dialog }) as unknown as Element;
    const place = { button: gone, around: [row, { element: table, at: 0 }] };
    expect(isAsked(place, within(question))).toBe(true);
    expect(isAsked(place, within(null))).toBe(false);
    expect(isAsked(place, null)).toBe(false);
    const inDialog = { button: gone, around: [row, { element: other, at: 0 }] };
    expect(isAsked(inDialog, within(other))).toBe(false);
  });

  it("is nowhere when the page is gone, too", () => {
    expect(afterRemoval({ button: gone, around: [row, row] })).toBeNull();
  });
});
