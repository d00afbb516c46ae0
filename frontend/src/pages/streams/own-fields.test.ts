import { expect, it } from "vitest";
import {
  blankField,
  EMPTY_DRAFT,
  hasNewerFields,
  hasOwnFields,
  withColumns,
  withEncoding,
  withKeyColumns,
} from "./contract-draft";
import { JSON_DRAFT, withFormat } from "./encoding-draft";
import { withoutField, withRenamed } from "./named-fields";

it("knows fields that somebody has typed from those that a sample or schema has", () => {
  const filled = withColumns(EMPTY_DRAFT, [
    { name: "symbol", type: "string" },
    { name: "at", type: "long" },
  ]);
  const id = filled.fields[0]?.id ?? 0;
  const renamed = { ...filled, ...withRenamed(filled, id, "ticker") };
  for (const draft of [{ ...EMPTY_DRAFT, fields: [blankField()] }, renamed])
    expect(hasOwnFields(draft)).toBe(true);
  expect(hasOwnFields({ ...filled, ...withoutField(filled, id) }), "one was removed").toBe(true);
  for (const draft of [
    EMPTY_DRAFT,
    filled,
    { ...renamed, ...withRenamed(renamed, id, "symbol") },
    { ...filled, ...withKeyColumns(filled, [{ name: "id", type: "long" }]) },
    withEncoding(EMPTY_DRAFT, withFormat(JSON_DRAFT, "text")),
  ])
    expect(hasOwnFields(draft)).toBe(false);
});

it("knows fields that were typed while others were looked for: nobody agreed that these are replaced", () => {
  const typed = { ...EMPTY_DRAFT, fields: [{ ...blankField(), name: "id" }] };
  expect(hasNewerFields(typed, EMPTY_DRAFT)).toBe(true);
  expect(hasNewerFields(typed, typed), "what was asked about").toBe(false);
  expect(hasNewerFields({ ...typed, name: "orders" }, typed), "no field").toBe(false);
  expect(hasNewerFields(EMPTY_DRAFT, typed), "none is left").toBe(false);
});
