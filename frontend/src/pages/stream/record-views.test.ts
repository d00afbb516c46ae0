import { describe, expect, it } from "vitest";
import type { RecordDetail } from "../../api/types";
import { keyLine, keyShown, viewsOf } from "./record-views";

const RECORD: RecordDetail = {
  partition: 0,
  offset: 1,
  timestamp: "2026-01-01T00:00:00Z",
  timestamp_type: "log_append_time",
  key: "AAE=",
  key_is_text: false,
  key_base64: "AAE=",
  key_json: '{\n  "id": 1\n}',
  key_fields: { id: 1, shop: "a" },
  value: "AAAAAAc=",
  value_is_text: false,
  value_base64: "AAAAAAc=",
  truncated: false,
  size: 7,
  headers: [],
  row: {},
  row_json: "{}",
  value_json: '{\n  "id": 1152921504606846977\n}',
  event_time: null,
  deleted: null,
  malformed: null,
};

describe("one record", () => {
  it("shows a binary value decoded first, and always its bytes", () => {
    const views = viewsOf(RECORD);
    expect(views.map(({ name }) => name)).toEqual(["row", "value", "bytes"]);
    expect(views[1]?.text).toContain("1152921504606846977");
    expect(views[2]?.text).toContain("000000  00 00 00 00 07");
    expect(views[2]?.copy).toBe("AAAAAAc=");
  });

  it("shows what is malformed as it came", () => {
    const broken = {
      ...RECORD,
      value: '{"a":',
      value_is_text: true,
      row: null,
      row_json: null,
      value_json: null,
    };
    expect(viewsOf(broken).map(({ name, text }) => [name, text])[0]).toEqual(["text", '{"a":']);
    expect(viewsOf({ ...broken, value: null, value_base64: null })[0]?.text).toContain("tombstone");
  });

  it("reads keys by their fields, as text, or as bytes", () => {
    expect(keyShown(RECORD)).toEqual({ text: '{\n  "id": 1\n}', note: "decoded; bytes as base64: AAE=" });
    expect(keyShown({ ...RECORD, key_json: null }).text).toContain("00 01");
    expect(keyShown({ ...RECORD, key: "k", key_is_text: true, key_json: null })).toEqual({
      text: "k",
      note: "",
    });
    expect([
      keyLine(RECORD),
      keyLine({ ...RECORD, key_fields: null }),
      keyLine({ ...RECORD, key: null }),
      keyLine({ ...RECORD, key: "k", key_is_text: true }),
    ]).toEqual(["1, a", "bytes", null, "k"]);
  });
});
