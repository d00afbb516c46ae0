import { expect, it } from "vitest";
import { formatSchema } from "./format-schema";

it.each([
  '{"type":"record","name":"a","fields":[{"name":"x","type":["null","long"],"default":null}],"aliases":[]}',
  "{}",
  "[]",
  '"string"',
  '{"a":{},"b":[],"c":"{\\"x\\": [1, 2]}","d":[[1],{"e":true}]}',
])("lays out %s as JSON does", (text) => {
  expect(formatSchema(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
});

it("keeps the digits of numbers", () => {
  const text = formatSchema('{"maximum": 9223372036854775807, "multipleOf": 0.10, "default": 1e2}');
  expect(text).toBe('{\n  "maximum": 9223372036854775807,\n  "multipleOf": 0.10,\n  "default": 1e2\n}');
});

it("leaves what is no JSON", () => {
  expect(formatSchema("record A { }")).toBe("record A { }");
});
