import { beforeEach, describe, expect, it } from "vitest";
import type { Stream } from "../../api/types";
import { readDraft, writeDraft } from "../../drafts/shared-draft";
import { contractDraftName, storedOf, takeOverDraft, type ContractDraft } from "./kept-contract";

it("the draft of a stream's contract is not that of a later stream of the same name", () => {
  const stream = { name: "orders", created_at: "2026-11-01T10:00:00.000001Z" };
  const later = { ...stream, created_at: "2026-11-02T10:00:00Z" };
  expect(contractDraftName("ops", stream)).toBe(contractDraftName("ops", { ...stream }));
  expect(contractDraftName("ops", later)).not.toBe(contractDraftName("ops", stream));
});

describe("the draft of a contract that was kept without the time of registration", () => {
  const EARLIER = "ops.stream.orders.contract";
  const stream = {
    name: "orders",
    created_at: "2026-11-01T10:00:00.000001Z",
    revision: 3,
    description: "",
    contract: { format: "json", fields: [{ name: "id", type: "string" }] },
  } as unknown as Stream;
  const place = contractDraftName("ops", stream);
  let texts = new Map<string, string>();
  const store = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  };
  const keep = (name: string, description: string, begun: Stream = stream) => {
    const original = storedOf(begun);
    const form = { ...original.value.form, description };
    writeDraft(store, name, { original, value: { ...original.value, form } });
  };
  const kept = (name: string) => readDraft<ContractDraft>(store, name)?.value.form.description;

  beforeEach(() => {
    texts = new Map();
  });

  it("is that of the stream it was begun on, once", () => {
    keep(EARLIER, "mine");
    const reordered = { fields: stream.contract.fields, format: "json" } as Stream["contract"];
    takeOverDraft(store, "ops", { ...stream, contract: reordered });
    expect([kept(place), kept(EARLIER)]).toEqual(["mine", undefined]);
  });

  it("goes on over what somebody saved since", () => {
    keep(EARLIER, "mine", { ...stream, revision: 2, contract: { ...stream.contract, delay: "5s" } });
    takeOverDraft(store, "ops", stream);
    expect(kept(place)).toBe("mine");
  });

  it("is dropped where it is of another stream of that name", () => {
    keep(EARLIER, "of a later revision", { ...stream, revision: 4 });
    takeOverDraft(store, "ops", stream);
    keep(EARLIER, "of another contract", { ...stream, contract: { ...stream.contract, delay: "5s" } });
    takeOverDraft(store, "ops", stream);
    expect(texts.size).toBe(0);
  });

  it("doesn't take the place of a draft that was begun since", () => {
    keep(EARLIER, "before");
    keep(place, "since");
    takeOverDraft(store, "ops", stream);
    expect(kept(place)).toBe("since");
  });
});
