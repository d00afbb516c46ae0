import { expect, it } from "vitest";
import type { CheckResult } from "../../../api/types";
import { fieldsOf } from "./job-fields";

const TEXT = `format: 1
sources: {s: {stream: ticks}, t: {table: users}}
outputs:
  live: {input: s, to: result}
  out:
    input: s
    to: {topic: out, names: {user_id: "user-id", city: [user, city], street: [user, street], n: [_id]}}
`;
const FIELDS = ["user_id", "city", "street", "n", "rest"].map((name) => ({
  name,
  type: name === "n" ? "long" : "string",
  nullable: true,
}));
const CHECKED = { nodes: [{ name: "s", schema: FIELDS, ports: [] }] } as unknown as CheckResult;

it("of an output are the members that are written, each object once", () => {
  const fields = fieldsOf(TEXT, CHECKED);
  expect(fields?.outputs["live"]).toEqual(FIELDS);
  expect(fields?.outputs["out"]).toEqual([
    { name: "user-id", type: "string", nullable: true },
    { name: "user", type: "struct", nullable: false },
    { name: "_id", type: "long", nullable: true },
    { name: "rest", type: "string", nullable: true },
  ]);
  expect(fields?.sources["t"]).toMatchObject({ stream: "users", isTable: true });
  expect(fields?.trigger).toBe("1s");
});

it("are none while the document or its check cannot be read", () => {
  expect(fieldsOf("a: [", CHECKED)).toBeNull();
  expect(fieldsOf(TEXT, undefined)).toBeNull();
});
