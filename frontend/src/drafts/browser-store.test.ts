import { expect, it } from "vitest";
import { writePositions } from "../composer/drawing/browser-positions";
import { writeTypedSql } from "../composer/sql/typed-sql";
import { isStoreFull, keep, onStoreFull } from "./browser-store";
import { writeDraft } from "./shared-draft";
import { keepDraft } from "./text-draft";

function refusing(name: string) {
  return {
    getItem: () => null,
    removeItem: () => undefined,
    setItem: () => {
      throw new DOMException("no", name);
    },
  };
}

it("typing goes on in a browser without room, which is told until there is some again", async () => {
  let told = 0;
  const leave = onStoreFull(() => {
    told += 1;
  });
  const full = refusing("QuotaExceededError");
  keepDraft(full, "a", "text");
  writeDraft(full, "a", { original: { revision: 1, value: "x", by: "" }, value: "y" });
  writePositions(full, "a", { right: { n: { x: 1, y: 2 } }, down: {} });
  const sql = { text: "SELECT", read: "", yaml: "", start: { yaml: "", sql: "", name: "" }, diverged: false };
  writeTypedSql(full, "a", sql);
  await Promise.resolve();
  expect(isStoreFull()).toBe(true);
  expect(told).toBe(1);
  keep({ setItem: () => undefined }, "a", "text");
  await Promise.resolve();
  expect(isStoreFull()).toBe(false);
  expect(told).toBe(2);
  leave();
});

it("other failures are not hidden", () => {
  expect(() => {
    keep(refusing("SecurityError"), "a", "text");
  }).toThrow("no");
});
