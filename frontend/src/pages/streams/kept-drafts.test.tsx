import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { writeDraft } from "../../drafts/shared-draft";
import { NewSchemaPage } from "../schemas/new-schema";
import { NewVersionForm } from "../schemas/new-version-form";
import { renderedInWorkspace, storageIn } from "../../testing/rendered";
import { EMPTY_DRAFT } from "./contract-draft";
import { RegisterStreamPage } from "./register";

const texts = new Map<string, string>();
const store = storageIn(texts);

function rendered(page: ReactNode): string {
  vi.stubGlobal("window", { localStorage: store, location: { search: "" } });
  return renderedInWorkspace(page);
}

afterEach(() => {
  vi.unstubAllGlobals();
  texts.clear();
});

const by = "";

it("a stream that was half registered is there again after other pages and reloads", () => {
  const value = { ...EMPTY_DRAFT, name: "half_typed", description: "of the shop" };
  writeDraft(store, "ops.new-stream", { original: { revision: 0, value: EMPTY_DRAFT, by }, value });
  const page = rendered(<RegisterStreamPage />);
  expect(page).toContain('value="half_typed"');
  expect(page).toContain("Draft restored");
  expect(page).toContain("Discard draft");
});

it("a schema that was half written is there again with its subject and type", () => {
  const first = { text: "", references: [], subject: "", kind: "AVRO" };
  const value = { text: "{", references: [], subject: "orders-value", kind: "JSON" };
  writeDraft(store, "ops.new-schema", { original: { revision: 0, value: first, by }, value });
  const page = rendered(<NewSchemaPage />);
  expect(page).toContain("Draft restored");
  expect(page).toContain('value="orders-value"');
  expect(page).toContain('value="JSON Schema"');
});

it("a schema that is written outlives a version that somebody else registers", () => {
  const original = { revision: 2, value: { text: "two", references: [] }, by };
  writeDraft(store, "ops.schema.orders", { original, value: { text: "mine", references: [] } });
  const form = (version: number, text: string) => (
    <NewVersionForm subject="orders" kind="AVRO" version={version} text={text} />
  );
  const page = rendered(form(3, "three"));
  expect(page).toContain("mine");
  expect(page).toContain("Version 3 was saved meanwhile");
  texts.clear();
  expect(rendered(form(3, "three"))).toContain("three");
});
