import { expect, it } from "vitest";
import { contractDraftName } from "./kept-contract";

it("the draft of a stream's contract is not that of a later stream of the same name", () => {
  const stream = { name: "orders", created_at: "2026-11-01T10:00:00.000001Z" };
  const later = { ...stream, created_at: "2026-11-02T10:00:00Z" };
  expect(contractDraftName("ops", stream)).toBe(contractDraftName("ops", { ...stream }));
  expect(contractDraftName("ops", later)).not.toBe(contractDraftName("ops", stream));
});
