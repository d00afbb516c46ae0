import { afterEach, expect, it, vi } from "vitest";
import { Route } from "wouter";
import { writeTypedSql, type TypedSql } from "../../composer/sql/typed-sql";
import { renderedInWorkspace, storageIn } from "../../testing/rendered";
import NewJobPage from "./new-job";

const texts = new Map<string, string>();
const store = storageIn(texts);

function rendered(): string {
  vi.stubGlobal("window", { localStorage: store, location: { search: "" } });
  return renderedInWorkspace(<Route path="/jobs/new/:way?" component={NewJobPage} />, {
    path: "/jobs/new/text",
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
  texts.clear();
});

it("SQL that was typed and not checked yet is a draft", () => {
  expect(rendered()).not.toContain("Draft saved in this browser.");
  const start = { yaml: "", sql: "", name: "" };
  const typed: TypedSql = { text: "SELECT 1", read: "", yaml: "", start, diverged: false };
  writeTypedSql(store, "ops.new-job", typed);
  expect(rendered()).toContain("Draft saved in this browser.");
});
