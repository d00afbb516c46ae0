import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Router } from "wouter";
import { SkippingPanel } from "./skipping";

const SKIPPING = {
  source: "t",
  stream: "trades",
  records: 100,
  malformed: 40,
  share: 0.4,
  reason: "FIELD_TYPE",
  reason_records: 30,
  since: "2026-01-01T00:00:00Z",
};

describe("what a job says that it skips", () => {
  const rendered = (example: Parameters<typeof SkippingPanel>[0]["skipping"]["example"]) =>
    renderToStaticMarkup(
      <Router ssrPath="/">
        <MantineProvider>
          <SkippingPanel skipping={{ ...SKIPPING, example }} />
        </MantineProvider>
      </Router>,
    );

  it("leads to an example where it lies in the topic", () => {
    expect(rendered({ reason: "TIME_MISSING", partition: 2, offset: 17 })).toContain(
      'href="/streams/trades?from=offset&amp;partition=2&amp;offset=17"',
    );
  });

  it("says nothing of one that is not known", () => {
    expect(rendered(null)).not.toContain("Example");
  });
});
