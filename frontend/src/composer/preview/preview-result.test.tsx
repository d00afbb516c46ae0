import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Preview, PreviewStep } from "../../api/types";
import { PREVIEW, STEP } from "./preview.test-data";
import { PreviewResult } from "./preview-result";

const SOURCE: PreviewStep = {
  ...STEP,
  reference: "ticks",
  node: "ticks",
  op: "source",
  fields: ["size"],
  inputs: [],
  rows_in: null,
  filtered: null,
  empty: "None of the records became a row.",
  rows: 0,
};
const KEPT: PreviewStep = {
  ...SOURCE,
  reference: "kept",
  node: "kept",
  op: "filter",
  inputs: [{ reference: "ticks", rows: 2 }],
  rows_in: 2,
  filtered: 2,
  empty: "The condition was true for none of the rows.",
  lost: [
    { kind: "filtered", why: "size is null", key: "[1]", value: { size: null }, at: null },
    { kind: "late", why: "The watermark had passed it by 3s", key: "[2]", value: { size: 7 }, at: null },
  ],
};

function shown(selected: string, line: number | null = null): string {
  const preview: Preview = {
    ...PREVIEW,
    sources: [
      {
        name: "ticks",
        given: 3,
        note: "",
        around: "2026-01-01T09:00:00Z",
        records: 3,
        malformed: [{ reason: "NOT_JSON", records: 1 }],
        left_out: [{ partition: 2, offset: 41, line, reason: "NOT_JSON" }],
      },
    ],
    steps: [SOURCE, KEPT],
  };
  return renderToStaticMarkup(
    <MantineProvider>
      <PreviewResult preview={preview} nodes={[]} selected={selected} onSelect={() => undefined} />
    </MantineProvider>,
  );
}

test("an empty step says the server's reason, and shows what it took away with why", () => {
  const html = shown("kept");
  expect(html).toContain(KEPT.empty);
  expect(html).toContain("size is null");
  expect(html).toContain("Late. The watermark had passed it by 3s");
});

test("a malformed record is known by its place in the topic, or by its line where it was typed", () => {
  expect(shown("ticks")).toContain("e.g. partition 2, offset 41");
  expect(shown("ticks", 42)).toContain("e.g. line 42");
});

test("a source that was read around a moment says so", () => {
  expect(shown("kept")).toContain("ticks gives records around");
});
