import { expect, it } from "vitest";
import { blankField, EMPTY_DRAFT, withColumns, type StreamDraft } from "./contract-draft";
import { contractOf } from "./contract-request";
import { withoutField, withRenamed } from "./named-fields";

it("keeps key and event time with their fields while a name is typed that another field has", () => {
  const fields = ["id", "at", "order", ""].map((name) => ({ ...blankField(), name }));
  const start: StreamDraft = {
    ...EMPTY_DRAFT,
    fields,
    key: ["id"],
    eventTime: { kind: "field", field: "at", format: "iso" },
  };
  const typed = (place: number, ...names: string[]) =>
    names.reduce<StreamDraft>(
      (draft, name) => ({ ...draft, ...withRenamed(draft, fields[place]?.id ?? 0, name) }),
      start,
    );
  expect(typed(3, "i", "id", "id_", "id_type")).toMatchObject({ key: ["id"], eventTime: start.eventTime });
  expect(typed(3, "a", "at", "at_", "at_home")).toMatchObject({ key: ["id"], eventTime: start.eventTime });
  expect(typed(0, "", "o", "order", "order_id").key).toEqual(["order_id"]);
  expect(typed(0, "", "a", "at", "att").eventTime).toBe(start.eventTime);
  expect(typed(1, "", "order", "ordered_at").eventTime.field).toBe("ordered_at");

  const double = typed(3, "i", "id");
  expect(withoutField(double, fields[3]?.id ?? 0).key).toEqual(["id"]);
  const replacing = typed(0, "orde", "order");
  expect(withoutField(replacing, fields[2]?.id ?? 0).key).toEqual(["order"]);
  const twice = { ...start, fields: [...fields, { ...blankField(), name: "id" }] };
  expect(withoutField(twice, twice.fields[4]?.id ?? 0).key).toEqual(["id"]);
});

it("reads the event time as its field's type says, so that the form shows what is sent", () => {
  const field = { ...blankField(), name: "at" };
  const timed = (type: string, eventTime: StreamDraft["eventTime"]) => {
    return contractOf({ ...EMPTY_DRAFT, fields: [{ ...field, type }], eventTime }).event_time;
  };
  const text = { kind: "field" as const, field: "at", format: "iso" };
  const number = { kind: "field" as const, field: "at", unit: "ms" as const };
  expect(timed("long", text)).toEqual(number);
  expect(timed("string", number)).toEqual(text);
  const ofSchema = withColumns({ ...EMPTY_DRAFT, fields: [field], eventTime: text }, [
    { name: "at", type: "long" },
  ]);
  expect(contractOf(ofSchema).event_time).toEqual(number);
  expect(timed("timestamp", { ...text, on_missing: "kafka_timestamp" })).toEqual({
    kind: "field",
    field: "at",
    on_missing: "kafka_timestamp",
  });
  expect(timed("int", { ...number, unit: "s" })).toEqual({ ...number, unit: "s" });
  expect(timed("date", { ...text, zone: "Asia/Tokyo" })).toEqual({
    kind: "field",
    field: "at",
    zone: "Asia/Tokyo",
  });
  const corrected = { kind: "corrected" as const, sent: { field: "left", format: "iso" } };
  expect(timed("long", { ...corrected, device: { field: "at", format: "iso" } })).toEqual({
    ...corrected,
    device: { field: "at", unit: "ms" },
  });
});

it("reads the event time as before once its field has its earlier type again", () => {
  const taken = (eventTime: StreamDraft["eventTime"], ...types: string[]) => {
    const start = { ...EMPTY_DRAFT, fields: [{ ...blankField(), name: "at" }], eventTime };
    const typed = types.map((type) => [{ name: "at", type }]);
    return contractOf(typed.reduce<StreamDraft>(withColumns, start)).event_time;
  };
  const pattern = { kind: "field" as const, field: "at", format: "dd.MM.yyyy HH:mm" };
  expect(taken(pattern, "long")).toEqual({ kind: "field", field: "at", unit: "ms" });
  expect(taken(pattern, "long", "string")).toEqual(pattern);
  const seconds = { kind: "field" as const, field: "at", unit: "s" as const };
  expect(taken(seconds, "long", "timestamp", "long")).toEqual(seconds);
});
