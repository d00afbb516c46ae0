import { describe, expect, it } from "vitest";
import { encodingText, kindText } from "./contract-text";

describe("a contract in words", () => {
  it("names the framing and the subject", () => {
    expect(
      encodingText({ format: "avro", framing: "confluent", subject: "orders-value", schema: "{}" }),
    ).toEqual({
      format: "Avro",
      notes: ["Confluent wire format", "latest schema of subject"],
      subject: "orders-value",
    });
    expect(
      encodingText({
        format: "debezium",
        time_unit: "ms",
        inner: { format: "avro", subject: "s", framing: "none" },
      }),
    ).toMatchObject({ format: "Debezium change events in Avro", subject: "s" });
    expect(encodingText(undefined)).toEqual({
      format: "JSON",
      notes: ["no schema ID prefix"],
      subject: null,
    });
  });

  it("names the columns of a line", () => {
    expect(encodingText({ format: "csv", delimiter: ";", quote: "'", columns: ["a", "b"] }).notes).toContain(
      "columns a, b",
    );
  });

  it("tells append-only streams from tables", () => {
    expect(kindText({ fields: [] }).kind).toBe("Append-only stream");
    expect(kindText({ fields: [], kind: "table", version_by: "event_time" }).note).toContain("event time");
  });
});
