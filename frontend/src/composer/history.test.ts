import { describe, expect, it } from "vitest";
import { changeBetween, historyOf, NO_HISTORY, redone, undone, withEdit, type Entry } from "./history";

const of = (text: string): Entry => ({ text, sql: null });
const withSql = (text: string, sql: string): Entry => ({
  text,
  sql: { text: sql, read: "", yaml: text, start: { yaml: text, sql: "", name: "" }, diverged: false },
});

describe("undo and redo", () => {
  it("go back and forth; a new edit forgets what was undone", () => {
    const one = withEdit(NO_HISTORY, of("a"), of("a long edit"), 0);
    const two = withEdit(one, of("a long edit"), of("another long one"), 10);
    const back = undone(two, of("another long one"));
    expect(back?.shown.text).toBe("a long edit");
    expect(back && redone(back.history, back.shown)?.shown.text).toBe("another long one");
    const next = back && withEdit(back.history, back.shown, of("a third one"), 20);
    expect(next?.future).toEqual([]);
    expect(next?.past).toEqual([of("a"), of("a long edit")]);
    expect(undone(NO_HISTORY, of("x"))).toBeNull();
    expect(redone(NO_HISTORY, of("x"))).toBeNull();
  });

  it("end where the text was changed from outside", () => {
    const back = undone(withEdit(NO_HISTORY, of("a"), of("a long edit"), 0), of("a long edit"));
    const kept = { text: "a", history: back?.history ?? NO_HISTORY };
    expect(redone(historyOf(kept, "a"), of("a"))?.shown.text).toBe("a long edit");
    expect(redone(historyOf(kept, "a colleague's"), of("a colleague's"))).toBeNull();
    expect(undone(historyOf(kept, "a colleague's"), of("a colleague's"))).toBeNull();
  });

  it("take letters typed one after the other as one edit, until there is a pause", () => {
    let history = withEdit(NO_HISTORY, of("x"), of("xa"), 0);
    history = withEdit(history, of("xa"), of("xab"), 200);
    expect(history.past).toEqual([of("x")]);
    expect(withEdit(history, of("xab"), of("xabc"), 5_000).past).toEqual([of("x"), of("xab")]);
    expect(withEdit(history, of("xab"), of("xab and more"), 300).past).toEqual([of("x"), of("xab")]);
    expect(withEdit(history, of("xab"), of("xab"), 300)).toBe(history);
  });

  it("have the SQL as it was typed, readable or not, beside the text", () => {
    const typed = withSql("a: 1", "SELECT");
    let history = withEdit(NO_HISTORY, of("a: 1"), typed, 0);
    history = withEdit(history, typed, withSql("a: 1", "SELECT *"), 200);
    expect(history.past).toEqual([of("a: 1")]);
    const formed = withEdit(history, withSql("a: 1", "SELECT *"), withSql("a: 1, b: 2", "SELECT *"), 300);
    const back = undone(formed, withSql("a: 1, b: 2", "SELECT *"));
    expect(back?.shown).toEqual(withSql("a: 1", "SELECT *"));
    expect(back && undone(back.history, back.shown)?.shown).toEqual(of("a: 1"));
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
