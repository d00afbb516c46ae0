import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Job, LogPage } from "../../../api/types";
import { EmptyLog } from "./empty-log";

function words(empty: LogPage["empty"], observed: Job["observed"] = "running"): string {
  const page = { run: null, runs: [], lines: [], cursor: null, empty, max_lines: 2000, kept_days: 14 };
  const html = renderToStaticMarkup(
    <MantineProvider>
      <EmptyLog page={page} observed={observed} onClear={() => undefined} />
    </MantineProvider>,
  );
  return html.replace(/<[^>]*>/g, " ").replaceAll("&#x27;", "'");
}

test.each([
  ["never_started", "never started"],
  ["not_taken_up", "No engine has taken up the run yet"],
  ["expired", "No lines in the last 14  days. Older ones were deleted."],
  ["older_engine", "older version"],
  ["no_match", "Clear filters"],
] as const)("an empty log says why: %s", (empty, text) => {
  expect(words(empty).replace(/\s+/g, " ")).toContain(text.replace(/\s+/g, " "));
});

test("a run that ended before an engine took it up is not waited for", () => {
  expect(words("not_taken_up", "stopped")).toContain("ended before an engine took it up");
});
