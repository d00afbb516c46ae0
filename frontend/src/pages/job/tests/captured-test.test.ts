import { expect, it } from "vitest";
import { capturedTest, type LiveRecord } from "./captured-test";
import { modelOf } from "./test-model";

function record(second: number, more: Partial<LiveRecord> = {}): LiveRecord {
  return {
    timestamp: `2026-01-01T10:00:0${String(second)}.000000Z`,
    key: null,
    key_is_text: true,
    value: `{"n":${String(second)}}`,
    value_is_text: true,
    truncated: false,
    ...more,
  };
}

it("keeps what the records are, oldest first, and begins at the oldest", () => {
  const text = capturedTest("live", {
    s: [record(3), record(1, { key: "k" })],
    t: [record(2, { value: null })],
  });
  const model = modelOf(text ?? "");
  expect(model?.start).toBe("2026-01-01T10:00:01.000000Z");
  const [first, second] = model?.batches[0]?.records["s"] ?? [];
  expect(first).toMatchObject({ key: "k", value: '{"n":1}', arrives: "2026-01-01T10:00:01.000000Z" });
  expect(second).toMatchObject({ key: null, value: '{"n":3}' });
  expect(model?.batches[0]?.records["t"]?.[0]).toMatchObject({ value: null, values: null });
});

it("leaves out what is not whole, and says when nothing is left", () => {
  const broken = [record(1, { truncated: true }), record(2, { value_is_text: false })];
  expect(capturedTest("live", { s: broken })).toBeNull();
  expect(
    modelOf(capturedTest("live", { s: [...broken, record(3)] }) ?? "")?.batches[0]?.records["s"],
  ).toHaveLength(1);
});
