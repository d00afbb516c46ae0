import { expect, it } from "vitest";
import { keys, streamRef, type RecordsQuery } from "./query-keys";
import { createQueryClient } from "./query-client";
import type { Stream } from "./types";

const NEWEST: RecordsQuery = { from: "newest", partition: null };
const AT = { cluster: "home", topic: "shop.orders" };

function stream(changed: Partial<Stream>): Stream {
  return { name: "orders", ...AT, created_at: "2026-01-01T00:00:00Z", revision: 1, ...changed } as Stream;
}

const ORDERS = streamRef(stream({}));

it.each([
  ["its contract was changed", { revision: 2 }],
  ["it was unregistered and registered again", { created_at: "2026-01-02T00:00:00Z" }],
])("a stream's records and rows are others after %s", (_, changed) => {
  const now = streamRef(stream(changed));
  expect(keys.records("w", now, NEWEST)).not.toEqual(keys.records("w", ORDERS, NEWEST));
  expect(keys.record("w", now, 0, 1)).not.toEqual(keys.record("w", ORDERS, 0, 1));
  expect(keys.tableRow("w", now, "5")).not.toEqual(keys.tableRow("w", ORDERS, "5"));
});

it("what was read from a topic is found, as such and as any stream", () => {
  const second = streamRef(stream({ name: "orders_2" }));
  const elsewhere = { ...AT, cluster: "trading" };
  const read = [
    keys.records("w", ORDERS, NEWEST),
    keys.records("w", second, NEWEST),
    keys.records("w", AT, NEWEST),
    keys.record("w", AT, 0, 1),
    keys.tableRows("w", ORDERS),
    keys.tableRow("w", second, "5"),
  ];
  const others = [keys.records("w", elsewhere, NEWEST), keys.records("v", AT, NEWEST), keys.streams("w")];
  const client = createQueryClient();
  for (const key of [...read, ...others]) client.setQueryData(key, []);
  for (const queryKey of keys.readFrom("w", AT.cluster, AT.topic)) client.removeQueries({ queryKey });
  expect(read.filter((key) => client.getQueryState(key))).toEqual([]);
  expect(others.filter((key) => !client.getQueryState(key))).toEqual([]);
});
