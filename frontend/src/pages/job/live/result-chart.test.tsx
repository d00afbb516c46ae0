import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import type { ReactNode } from "react";
import { Router } from "wouter";
import { describe, expect, it } from "vitest";
import type { CachedRow } from "../../../live/result-store";
import { ResultChart } from "./result-chart";
import type { RowShape } from "./row-shape";
import { ChartTitle } from "./chart-title";
import { Toolbar } from "./toolbar";

const KEYS: RowShape = {
  windowed: false,
  charted: true,
  keys: [{ name: "symbol", type: "string", nullable: false }],
  measures: [{ name: "n", type: "long", nullable: false }],
  others: [],
  instants: [],
};
const WINDOWS = { ...KEYS, windowed: true };
const ROWS: readonly CachedRow[] = Array.from({ length: 20 }, (_, n) => ({
  id: String(n),
  value: {
    symbol: `S${String(n)}`,
    n,
    window_start: "2026-01-01T00:00:00.000000Z",
    window_end: "2026-01-01T00:01:00.000000Z",
  },
  newest: n,
  partial: false,
  changed: {},
}));

function page(shown: ReactNode, search = "?"): string {
  return renderToStaticMarkup(
    <MantineProvider>
      <Router ssrPath="/" ssrSearch={search}>
        {shown}
      </Router>
    </MantineProvider>,
  );
}

function said(shape: RowShape, total: number, rows = ROWS): string {
  const of = { total, totalIs: "exact", truncated: total > rows.length } as const;
  return page(<ResultChart shape={shape} rows={rows} of={of} closedUntil={null} />)
    .replace(/<style.*?<\/style>/gs, "")
    .replace(/<[^>]*>/g, "");
}

describe("the chart of a result", () => {
  it("says that it is made of the newest rows where there are more", () => {
    const line = "Incomplete, only the newest 20 of 50,000 rows";
    expect(said(KEYS, 50_000)).toContain(line);
    expect(said(KEYS, 50_000)).toContain("and at least 4 more");
    expect(said(KEYS, 50_000)).not.toContain("in the table");
    expect(said(WINDOWS, 50_000)).toContain(line);
    expect(said(WINDOWS, 50_000)).toContain("At least 8 more keys.");
    expect(said(KEYS, 2, ROWS.slice(0, 1))).toContain("Incomplete, only the newest 1 of 2 rows");
  });

  it("says nothing of it where all rows are here", () => {
    for (const shape of [KEYS, WINDOWS]) expect(said(shape, 20)).not.toContain("Incomplete");
    expect(said(KEYS, 20)).toContain("and 4 more in the table");
    expect(said(WINDOWS, 20)).toContain("8 more keys in the table.");
  });
});

describe("an address with a measure that the result does not have", () => {
  const shape = { ...KEYS, measures: ["n", "m"].map((name) => ({ name, type: "long", nullable: false })) };

  it.each([
    ["gone", "n"],
    ["m", "m"],
  ])("%s: chart, heading and choice name the same, %s", (wanted, named) => {
    const search = `?measure=${wanted}`;
    const of = { total: 20, totalIs: "exact", truncated: false } as const;
    const chart = <ResultChart shape={shape} rows={ROWS} of={of} closedUntil={null} />;
    expect(page(chart, search)).toContain(`Top keys by ${named}"`);
    expect(page(<ChartTitle shape={shape} rows={20} />, search)).toContain(`${named} <span`);
    expect(page(<Toolbar shape={shape} labels={[]} />, search)).toContain(`value="${named}"`);
  });
});
