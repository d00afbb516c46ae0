import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { TestDifference, TestOutcome } from "../../../api/types";
import { Differences } from "./differences";

const NOTHING = { path: [], of: "outputs", name: "live", batch: null, expected: null, got: null, fields: [] };

function shown(differences: TestDifference[], more: Partial<TestOutcome> = {}): string {
  const outcome: TestOutcome = {
    status: "failed",
    message: "",
    differences,
    total: differences.length,
    diverged: null,
    elapsed_ms: 1,
    ...more,
  };
  return renderToStaticMarkup(<Differences outcome={outcome} />)
    .replaceAll("&quot;", '"')
    .replace(/<[^>]+>/g, "|")
    .replace(/\|+/g, "|");
}

it("tells which field of a row differs, and the whole row", () => {
  const text = shown([
    {
      ...NOTHING,
      kind: "differs",
      message: "A row has other values.",
      got: { k: "a", n: 2 },
      fields: [
        { field: "n", expected: 1, got: 2, absent: false },
        { field: "gone", expected: 1, got: null, absent: true },
      ],
    },
  ]);
  expect(text).toContain("|n|1|2|");
  expect(text).toContain("|gone|1|no such field|");
  expect(text).toContain('{"k":"a","n":2}');
});

it("shows what is missing and what nobody expected", () => {
  const text = shown([
    { ...NOTHING, kind: "missing", message: "missing", expected: { k: "a" } },
    { ...NOTHING, kind: "unexpected", message: "unexpected", got: { k: "b" } },
    { ...NOTHING, kind: "count", message: "There are 0 late rows instead of 1." },
  ]);
  expect(text).toContain('− |{"k":"a"}'.replace("|", ""));
  expect(text).toContain('+ {"k":"b"}');
  expect(text).toContain("There are 0 late rows instead of 1.");
});

it("says how much it leaves out, and where rows first went another way", () => {
  const text = shown([], { total: 3, diverged: { step: "stats", batch: 1 } });
  expect(text).toContain("and 3 more differences");
  expect(text).toMatch(/step \|stats\|,.*batch 2/);
});
