import { expect, it } from "vitest";
import { createQueryClient } from "./query-client";
import { keys } from "./query-keys";
import { invalidateContracts } from "./streams";

it("after a change of a contract a document is checked and played again when it is next shown", async () => {
  const client = createQueryClient();
  const [check, preview] = [keys.check("w", "format: 1", null), keys.preview("w", "format: 1", {}, "p", 0)];
  const other = keys.check("v", "format: 1", null);
  for (const key of [check, preview, other, keys.streams("w")]) client.setQueryData(key, []);
  await invalidateContracts(client, "w");
  const isOld = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
  expect([check, preview, keys.streams("w"), other].map(isOld)).toEqual([true, true, true, false]);
});
