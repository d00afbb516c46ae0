import { expect, it } from "vitest";
import { isUnread, readTypedSql, writeTypedSql, type TypedSql } from "./typed-sql";
import { unreadText } from "./unread-sql";

const START = { yaml: "name: a\n", sql: "SELECT 1", name: "a" };
const UNREAD: TypedSql = { text: "SELEC", read: "SELECT 1", yaml: START.yaml, start: START, diverged: false };

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};

it("is kept over a reload until it can be read", () => {
  expect(isUnread(UNREAD)).toBe(true);
  writeTypedSql(storage, "ops.new-job", UNREAD);
  expect(readTypedSql(storage, "ops.new-job")).toEqual(UNREAD);
  expect(readTypedSql(storage, "ops.job.j1")).toBeNull();
  writeTypedSql(storage, "ops.new-job", { ...UNREAD, read: UNREAD.text });
  expect(kept.size).toBe(0);
});

it("is none where it can't be read back, or was discarded", () => {
  kept.set("weir.sql.ops.new-job", '{"text":');
  expect(readTypedSql(storage, "ops.new-job")).toBeNull();
  writeTypedSql(storage, "ops.new-job", UNREAD);
  writeTypedSql(storage, "ops.new-job", null);
  expect(readTypedSql(storage, "ops.new-job")).toBeNull();
});

it("is said to be no part of the job, in every view", () => {
  expect(unreadText(false, true)).toContain("the job doesn't have it yet");
  expect(unreadText(false, false)).toContain("The SQL view has text with problems");
  expect(unreadText(true, true)).toContain("changed in another view since");
});
