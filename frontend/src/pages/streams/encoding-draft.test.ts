import { describe, expect, it } from "vitest";
import {
  aboutFormat,
  canSample,
  encodingAfter,
  encodingDraftOf,
  encodingOf,
  FORMATS,
  hasJsonSchema,
  JSON_DRAFT,
  missingOfEncoding,
  withFormat,
  withInner,
} from "./encoding-draft";

const avro = { ...withFormat(JSON_DRAFT, "avro"), subject: "orders-value", schema: "{}" };
const events = { ...withFormat(JSON_DRAFT, "debezium"), subject: "orders-value" };

describe("how records are written", () => {
  it("says each format as the contract does", () => {
    expect(encodingOf(JSON_DRAFT)).toEqual({ format: "json", framing: "none" });
    expect(encodingOf({ ...JSON_DRAFT, framed: true })).toEqual({ format: "json", framing: "confluent" });
    expect(encodingOf(avro)).toEqual({ format: "avro", framing: "confluent", subject: "orders-value" });
    expect(encodingOf({ ...avro, schemaFrom: "text", framed: false })).toEqual({
      format: "avro",
      framing: "none",
      schema: "{}",
    });
    expect(encodingOf({ ...withFormat(JSON_DRAFT, "csv"), delimiter: ";", trim: true })).toEqual({
      format: "csv",
      delimiter: ";",
      quote: '"',
      null_text: "",
      trim: true,
    });
    expect(encodingOf(withFormat(JSON_DRAFT, "text"))).toEqual({ format: "text" });
    expect(encodingOf(events)).toEqual({
      format: "debezium",
      time_unit: "us",
      inner: { format: "json", framing: "none" },
    });
    expect(encodingOf(withInner(events, "avro"))).toEqual({
      format: "debezium",
      time_unit: "us",
      inner: { format: "avro", framing: "confluent", subject: "orders-value" },
    });
  });

  it("holds JSON to a schema, and forgets it with the format", () => {
    const held = { ...JSON_DRAFT, subject: "orders-value" };
    expect(encodingOf(held)).toEqual({ format: "json", framing: "none", subject: "orders-value" });
    expect(
      encodingOf(
        encodingDraftOf({ format: "json", framing: "confluent", subject: "s", schema: "{}", schema_id: 4 }),
      ),
    ).toEqual({ format: "json", framing: "confluent", subject: "s" });
    expect(encodingOf({ ...JSON_DRAFT, schema: "{}" })).toEqual({
      format: "json",
      framing: "none",
      schema: "{}",
    });
    expect([hasJsonSchema(held), hasJsonSchema(JSON_DRAFT), hasJsonSchema(withFormat(held, "avro"))]).toEqual(
      [true, false, false],
    );
    expect(withFormat(held, "avro").subject).toBe("");
  });

  it("frames Avro and leaves JSON bare until somebody says otherwise", () => {
    expect(withFormat(withFormat(JSON_DRAFT, "avro"), "json").framed).toBe(false);
    expect(withInner(withInner(events, "avro"), "json").framed).toBe(false);
  });

  it("names the columns of a line, and says when one is named twice", () => {
    const csv = { ...withFormat(JSON_DRAFT, "csv"), columns: "a, b\nc," };
    expect(encodingOf(csv)).toMatchObject({ columns: ["a", "b", "c"] });
    expect(missingOfEncoding({ ...csv, columns: "a,b,a" })).toContain("same name");
  });

  it("reads back what it wrote, and keeps what it does not hold where nobody changed it", () => {
    for (const draft of [
      JSON_DRAFT,
      { ...JSON_DRAFT, framed: true },
      avro,
      { ...avro, subject: "", schemaFrom: "text" as const, framed: false },
      { ...withFormat(JSON_DRAFT, "csv"), columns: "a, b", trim: true, nullText: "NA" },
      withFormat(JSON_DRAFT, "text"),
      events,
      withInner(events, "avro"),
    ]) {
      expect(encodingOf(encodingDraftOf(encodingOf(draft)))).toEqual(encodingOf(draft));
    }
    const stored = { ...encodingOf(avro), schema: "{}", writers: { 1: "{}" } };
    expect(encodingAfter(stored, encodingDraftOf(stored))).toBe(stored);
    expect(encodingAfter(stored, { ...encodingDraftOf(stored), framed: false })).toEqual({
      format: "avro",
      framing: "none",
      subject: "orders-value",
    });
  });

  it("says what is missing", () => {
    expect(missingOfEncoding(JSON_DRAFT)).toBeNull();
    expect(missingOfEncoding({ ...avro, subject: "" })).toContain("subject");
    expect(missingOfEncoding({ ...avro, schemaFrom: "text", schema: " " })).toContain("Paste");
    expect(missingOfEncoding({ ...withInner(events, "avro"), subject: "" })).toContain("subject");
    expect(missingOfEncoding({ ...withFormat(JSON_DRAFT, "csv"), delimiter: '"' })).toContain("differ");
    expect(missingOfEncoding({ ...withFormat(JSON_DRAFT, "csv"), delimiter: "" })).toContain("one character");
  });

  it("samples what shows its fields by itself, and has words for every format", () => {
    expect(
      FORMATS.filter(({ value }) => canSample(withFormat(JSON_DRAFT, value))).map(({ value }) => value),
    ).toEqual(["json", "csv", "debezium"]);
    expect(canSample({ ...JSON_DRAFT, framed: true })).toBe(true);
    expect(canSample(withInner(events, "avro"))).toBe(false);
    for (const { value } of FORMATS) expect(aboutFormat(value).length).toBeGreaterThan(20);
  });
});
