import { describe, expect, it } from "vitest";
import type { Inference } from "../../api/types";
import {
  blankField,
  EMPTY_DRAFT,
  nameOf,
  withEncoding,
  withInference,
  withKeyColumns,
  withKind,
  withVersionBy,
  type StreamDraft,
} from "./contract-draft";
import { contractOf, missing, requestOf } from "./contract-request";
import { timeFieldFor } from "./event-time-rule";
import { JSON_DRAFT, withFormat } from "./encoding-draft";
import { withoutField, withRenamed } from "./named-fields";

const inference: Inference = {
  fields: [
    {
      name: "symbol",
      type: "string",
      nullable: false,
      path: null,
      notes: [],
      examples: ["A"],
      present: 10,
      kinds: [{ kind: "text", count: 10 }],
      hints: [],
    },
    {
      name: "at",
      type: "long",
      nullable: false,
      path: null,
      notes: [],
      examples: ["1"],
      present: 10,
      kinds: [{ kind: "integer", count: 10 }],
      hints: [{ kind: "time", reason: "in ms", values: [] }],
    },
  ],
  event_time_candidates: [{ kind: "field", field: "at", unit: "ms", reason: "rises" }],
  records: 10,
  malformed: 0,
  notes: [],
  key: {
    encoding: { format: "text" },
    records: 10,
    present: 10,
    reason: "Every key is plain text.",
    members: [],
    examples: ["a"],
  },
  scan: { partitions: [], records: 10, bytes: 100, elapsed_ms: 5, stop_reason: "end" },
};

describe("registering a stream", () => {
  it("reads fields from where the sample found them", () => {
    const found: [string, string[]][] = [
      ["user_id", ["user-id"]],
      ["a_b", ["a.b"]],
      ["city", ["user", "city"]],
    ];
    const fields = found.map(([name, path]) => ({
      name,
      path,
      type: "string",
      nullable: true,
      notes: [],
      examples: [],
      present: 10,
      kinds: [],
      hints: [],
    }));
    const draft = withInference({ ...EMPTY_DRAFT, topic: "t" }, { ...inference, fields });
    expect(draft.fields.map(({ readFrom }) => readFrom)).toEqual(["user-id", '["a.b"]', "user.city"]);
    expect(contractOf(draft).fields.map(({ path }) => path)).toEqual([
      ["user-id"],
      ["a.b"],
      ["user", "city"],
    ]);
    expect(
      contractOf({
        ...draft,
        fields: draft.fields.map((field) => ({ ...field, readFrom: "" })),
      }).fields.every((field) => !("path" in field)),
    ).toBe(true);
    expect(
      missing({
        ...draft,
        name: "t",
        eventTime: { kind: "kafka_timestamp" },
        fields: [{ ...blankField(), name: "a", readFrom: "a..b" }],
      }),
    ).toContain("Invalid source path");
  });

  it("names a column of a line as it is", () => {
    const draft = {
      ...EMPTY_DRAFT,
      topic: "t",
      name: "t",
      encoding: { ...JSON_DRAFT, format: "csv" as const, columns: "first name, a.b" },
      fields: [{ ...blankField(), name: "n", readFrom: "a.b" }],
    };
    expect(contractOf(draft).fields[0]?.path).toEqual(["a.b"]);
    expect(missing(draft)).toBeNull();
    expect(missing({ ...draft, fields: [{ ...blankField(), name: "n" }] })).toContain("column list");
  });

  it("takes the keys as the sample shows them, unless somebody said how", () => {
    expect(withInference(EMPTY_DRAFT, inference).keyEncoding.format).toBe("text");
    const framed = { ...EMPTY_DRAFT, keyEncoding: { ...JSON_DRAFT, framed: true } };
    expect(withInference(framed, inference).keyEncoding).toEqual(framed.keyEncoding);
  });

  it("proposes names that are names", () => {
    expect(nameOf("shop.orders-v2")).toBe("shop_orders_v2");
    expect(nameOf("2013.flights")).toBe("flights");
  });

  it("says what is missing, one thing at a time", () => {
    const draft = { ...EMPTY_DRAFT, topic: "t", name: "t" };
    expect(missing(EMPTY_DRAFT)).toContain("topic");
    expect(missing(draft)).toContain("field");
    const filled = withInference(draft, inference);
    expect(missing(filled)).toBeNull();
    expect(missing({ ...filled, fields: filled.fields.slice(0, 1) })).toContain("event time field");
    expect(missing({ ...filled, fields: [...filled.fields, ...filled.fields] })).toContain("same name");
  });

  it("takes the first candidate, without its reason", () => {
    const draft = {
      ...withInference({ ...EMPTY_DRAFT, topic: "t", name: "t" }, inference),
      create: true,
      retentionHours: 1,
      maxAhead: "",
    };
    expect(requestOf(draft)).toEqual({
      name: "t",
      description: "",
      cluster: "home",
      topic: "t",
      create: { partitions: 2, retention_ms: 3_600_000, cleanup: "delete" },
      contract: {
        kind: "stream",
        encoding: { format: "json", framing: "none" },
        fields: [
          { name: "symbol", type: "string", nullable: false },
          { name: "at", type: "long", nullable: false },
        ],
        event_time: { kind: "field", field: "at", unit: "ms" },
        delay: "10s",
        max_ahead: null,
      },
    });
  });

  it("asks for what the format needs", () => {
    const draft = withInference({ ...EMPTY_DRAFT, topic: "t", name: "t" }, inference);
    const avro = withEncoding(draft, withFormat(JSON_DRAFT, "avro"));
    expect(missing(avro)).toContain("subject");
    expect(requestOf(withEncoding(avro, { ...avro.encoding, subject: "t-value" })).contract.encoding).toEqual(
      { format: "avro", framing: "confluent", subject: "t-value" },
    );
  });

  it("declares the one field of a text, and forgets the time of a change where there is none", () => {
    const text = withEncoding(EMPTY_DRAFT, withFormat(JSON_DRAFT, "text"));
    expect(text.fields.map(({ name, type }) => [name, type])).toEqual([["line", "string"]]);
    const events = {
      ...withEncoding(EMPTY_DRAFT, withFormat(JSON_DRAFT, "debezium")),
      eventTime: { kind: "change" as const },
    };
    expect(withEncoding(events, JSON_DRAFT).eventTime).toEqual({ kind: "kafka_timestamp" });
    expect(withEncoding(events, { ...events.encoding, inner: "avro" }).eventTime).toEqual({ kind: "change" });
  });

  it("lets the event time follow its field to another name, letter by letter", () => {
    let draft = withInference({ ...EMPTY_DRAFT, topic: "t", name: "t" }, inference);
    const timed = draft.fields.find(({ name }) => name === draft.eventTime.field);
    for (const name of ["m", "mo", "moment"])
      draft = { ...draft, ...withRenamed(draft, timed?.id ?? 0, name) };
    expect(draft.eventTime.field).toBe("moment");
    const other = draft.fields.find(({ id }) => id !== timed?.id);
    expect(withRenamed(draft, other?.id ?? 0, "x").eventTime).toBe(draft.eventTime);
  });

  it("asks for the readings that correct a device's clock, which follow their fields too", () => {
    const fields = [
      { ...blankField(), name: "at", type: "long" },
      { ...blankField(), name: "sent_at" },
    ];
    const draft: StreamDraft = {
      ...EMPTY_DRAFT,
      topic: "t",
      name: "t",
      fields,
      eventTime: { kind: "corrected", device: timeFieldFor({ name: "at", type: "long", nullable: false }) },
    };
    expect(missing(draft)).toContain("send timestamp");
    const complete: StreamDraft = {
      ...draft,
      eventTime: { ...draft.eventTime, sent: { field: "sent_at", format: "iso" } },
    };
    expect(missing(complete)).toBeNull();
    const renamed = { ...complete, ...withRenamed(complete, fields[1]?.id ?? 0, "left_at") };
    expect(requestOf(renamed).contract.event_time).toEqual({
      kind: "corrected",
      device: { field: "at", unit: "ms" },
      sent: { field: "left_at", format: "iso" },
    });
    expect(missing({ ...complete, ...withoutField(complete, fields[0]?.id ?? 0) })).toContain("field list");
  });

  it("keeps the statistics of the sample beside each field", () => {
    const stats = withInference(EMPTY_DRAFT, inference).fields.map((field) => [
      field.sample?.present,
      field.sample?.records,
      field.sample?.hints.length,
    ]);
    expect(stats).toEqual([
      [10, 10, 0],
      [10, 10, 1],
    ]);
  });
});

describe("a table and its key", () => {
  const field = (name: string, type: string) => ({ ...blankField(), name, type });
  const filled = {
    ...EMPTY_DRAFT,
    topic: "rates",
    name: "rates",
    fields: [field("symbol", "string"), field("rate", "double")],
  };
  const table = {
    ...withKind(filled, "table"),
    key: ["symbol"],
    keyEncoding: withFormat(JSON_DRAFT, "text"),
  };

  it("sends kind, key and how the key is written", () => {
    expect(missing(withKind(filled, "table"))).toContain("key");
    expect(missing(table)).toBeNull();
    expect(requestOf({ ...table, create: true })).toMatchObject({
      create: { partitions: 2, retention_ms: null, cleanup: "compact" },
      contract: {
        kind: "table",
        key: ["symbol"],
        key_encoding: { format: "text" },
        version_by: "offset",
        delay: null,
      },
    });
    expect(contractOf(filled)).not.toHaveProperty("key");
    expect(contractOf({ ...filled, key: ["symbol"] })).toMatchObject({
      kind: "stream",
      key: ["symbol"],
      key_encoding: { format: "json", framing: "none" },
    });
  });

  it("does not compact where event time says which record is the newest", () => {
    const byTime = { ...table, create: true, ...withVersionBy("event_time") };
    expect(requestOf(byTime).create).toEqual({ partitions: 2, retention_ms: -1, cleanup: "delete" });
    expect(missing({ ...byTime, cleanup: "compact" })).toContain("Compaction");
    expect(missing({ ...byTime, retentionHours: 0 })).toContain("Leave empty for unlimited.");
  });

  it("follows a key field to its other name, and forgets one that is removed", () => {
    const id = table.fields[0]?.id ?? 0;
    expect(withRenamed(table, id, "ticker").key).toEqual(["ticker"]);
    expect(withoutField(table, id)).toMatchObject({ key: [], fields: [{ name: "rate" }] });
  });

  it("keeps the key's fields when a sample or the key's schema brings others", () => {
    expect(withInference(table, inference).fields.map(({ name }) => name)).toEqual(["symbol", "at"]);
    const other = { ...table, key: ["id"], fields: [field("id", "long"), ...table.fields] };
    expect(withInference(other, inference).fields.map(({ name }) => name)).toEqual(["id", "symbol", "at"]);
    expect(withKeyColumns(table, [{ name: "id", type: "long" }])).toMatchObject({
      key: ["id"],
      fields: [{ name: "id", nullable: false }, { name: "symbol" }, { name: "rate" }],
    });
  });

  it("says what a key's encoding lacks", () => {
    expect(missing({ ...table, key: ["symbol", "rate"] })).toContain("one field");
    expect(missing({ ...table, keyEncoding: withFormat(JSON_DRAFT, "avro") })).toContain("Key: ");
    const csv = withEncoding(table, { ...withFormat(JSON_DRAFT, "csv"), columns: "other" });
    expect(missing(csv)).toBe("Column rate isn't in the column list.");
  });
});
