import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { JobSummary } from "../../../api/types";
import { CatchingUpPanel } from "./catching-up";

type At = NonNullable<JobSummary["catching_up"]>;

const KNOWN: At = {
  since_us: 1764000000000000,
  records_read: 250_000,
  records_left: 350_000,
  share_read: 0.4167,
  records_per_second: 41_000,
  done_us: 1764000009000000,
};

function words(at: At): string {
  const html = renderToStaticMarkup(
    <MantineProvider>
      <CatchingUpPanel at={at} />
    </MantineProvider>,
  );
  return html.replace(/<[^>]*>/g, "");
}

test("says how far it is, how fast, and when it will be there", () => {
  const text = words(KNOWN);
  expect(text).toContain("350,000 records left");
  expect(text).toContain("41,000 records/s");
  expect(text).toContain("Estimated to catch up at");
});

test("before the first batch nothing is estimated", () => {
  const text = words({ ...KNOWN, records_read: 0, share_read: 0, records_per_second: null, done_us: null });
  expect(text).toContain("known after the first batch");
  expect(text).not.toContain("records/s");
});

test("where records arrive as fast as they are read there is no time of the end", () => {
  expect(words({ ...KNOWN, done_us: null })).toContain("Records arrive as fast as they are read");
});
