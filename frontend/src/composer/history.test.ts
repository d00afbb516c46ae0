import { describe, expect, it } from "vitest";
import { changeBetween, NO_HISTORY, redone, undone, withEdit } from "./history";

describe("undo and redo", () => {
  it("go back and forth; a new edit forgets what was undone", () => {
    const one = withEdit(NO_HISTORY, "a", "a long edit", 0);
    const two = withEdit(one, "a long edit", "another long one", 10);
    const back = undone(two, "another long one");
    expect(back?.text).toBe("a long edit");
    expect(back && redone(back.history, back.text)?.text).toBe("another long one");
    const next = back && withEdit(back.history, back.text, "a third one", 20);
    expect(next?.future).toEqual([]);
    expect(next?.past).toEqual(["a", "a long edit"]);
    expect(undone(NO_HISTORY, "x")).toBeNull();
    expect(redone(NO_HISTORY, "x")).toBeNull();
  });

  it("take letters typed one after the other as one edit, until there is a pause", () => {
    let history = withEdit(NO_HISTORY, "x", "xa", 0);
    history = withEdit(history, "xa", "xab", 200);
    expect(history.past).toEqual(["x"]);
    expect(withEdit(history, "xab", "xabc", 5_000).past).toEqual(["x", "xab"]);
    expect(withEdit(history, "xab", "xab and more", 300).past).toEqual(["x", "xab"]);
    expect(withEdit(history, "xab", "xab", 300)).toBe(history);
  });
});

describe("a change", () => {
  it.each([
    ["abc", "abXc", { from: 2, to: 2, insert: "X" }],
    ["abc", "ac", { from: 1, to: 2, insert: "" }],
    ["aaa", "aa", { from: 2, to: 3, insert: "" }],
    ["", "x", { from: 0, to: 0, insert: "x" }],
    ["same", "same", { from: 4, to: 4, insert: "" }],
  ])("from %j to %j is the smallest range", (before, next, expected) => {
    expect(changeBetween(before, next)).toEqual(expected);
  });
});
