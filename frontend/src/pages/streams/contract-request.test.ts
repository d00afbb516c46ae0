import { describe, expect, it } from "vitest";
import type { Stream } from "../../api/types";
import { blankField, draftOf, EMPTY_DRAFT, withColumns, withEncoding } from "./contract-draft";
import { changedContract, subjectOf } from "./contract-request";
import { JSON_DRAFT } from "./encoding-draft";

describe("taking the fields of a schema's version", () => {
  const contract = {
    key: ["id"],
    fields: [],
    encoding: { format: "debezium", inner: { format: "avro", subject: "orders-value" } },
  };

  it("finds the subject of values and of change events", () => {
    expect(subjectOf(contract)).toBe("orders-value");
    expect(subjectOf({ fields: [], encoding: { format: "avro", subject: "s" } })).toBe("s");
    expect(subjectOf({ fields: [] })).toBeNull();
  });

  it("changes the format only where another one was chosen, and keeps all that nobody touched", () => {
    const csv = {
      kind: "table" as const,
      format: "csv" as const,
      encoding: {
        format: "csv",
        delimiter: ",",
        quote: '"',
        null_text: "",
        trim: false,
        columns: ["a", "id"],
      },
      fields: [
        { name: "id", type: "long", nullable: true },
        { name: "a", type: "string", nullable: true },
      ],
      key: ["id"],
      key_encoding: { format: "avro", framing: "none", subject: "s", schema: "{}", writers: { 1: "{}" } },
      version_by: "event_time" as const,
      event_time: { kind: "field" as const, field: "id", unit: "ms" as const },
      delay: "3s",
      max_ahead: null,
    };
    const draft = draftOf({
      name: "t",
      description: "d",
      cluster: "home",
      topic: "t",
      contract: csv,
    } as unknown as Stream);
    expect({ format: "csv", ...changedContract(csv, draft) }).toEqual(csv);
    const { encoding, key_encoding } = changedContract(csv, withEncoding(draft, JSON_DRAFT));
    expect([encoding, key_encoding]).toEqual([{ format: "json", framing: "none" }, csv.key_encoding]);
  });

  it("keeps fields of the key, and whether a field may be missing", () => {
    const field = (name: string, type: string, nullable: boolean) => ({
      ...blankField(),
      name,
      type,
      nullable,
    });
    const draft = {
      ...EMPTY_DRAFT,
      key: ["id"],
      fields: [field("id", "long", false), field("name", "string", false), field("gone", "int", true)],
    };
    const { fields } = withColumns(draft, [
      { name: "name", type: "string", nullable: true },
      { name: "note", type: "long", nullable: true },
    ]);
    expect(fields.map(({ name, type, nullable }) => [name, type, nullable])).toEqual([
      ["id", "long", false],
      ["name", "string", false],
      ["note", "long", true],
    ]);
  });
});
