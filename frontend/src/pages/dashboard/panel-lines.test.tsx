import { MantineProvider } from "@mantine/core";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { FieldFilter, Panel, PanelOf } from "../../api/types";
import { Bars } from "../../charts/bars";
import type { CachedRow, TotalIs } from "../../live/result-store";
import { LimitLine, RestLine } from "./panel-lines";

const ROWS: readonly CachedRow[] = Array.from({ length: 3 }, (_, n) => ({
  id: String(n),
  value: {},
  newest: n,
  partial: false,
  changed: {},
}));
const NUMBER = { kind: "number", filters: [] } as unknown as Panel;
const TABLE = { kind: "table", filters: [], order_by: null } as unknown as PanelOf<"table">;
const FILTER: FieldFilter = { field: "symbol", values: ["A"] };

function text(element: ReactElement): string {
  return renderToStaticMarkup(<MantineProvider>{element}</MantineProvider>)
    .replace(/<style.*?<\/style>/gs, "")
    .replace(/<[^>]*>/g, "");
}

function said(panel: Panel, total: number, totalIs: TotalIs = "exact", shared: FieldFilter[] = []): string {
  const view = { rows: ROWS, total, totalIs, truncated: total > ROWS.length };
  return text(<LimitLine panel={panel} shared={shared} view={view} />);
}

describe("a panel of a result with more rows than are kept", () => {
  it("says of how many it shows the newest", () => {
    expect(said(NUMBER, 50_000)).toBe("Incomplete, only the newest 3 of 50,000 rows");
    expect(said(NUMBER, 100_000, "at least")).toBe("Incomplete, only the newest 3 of more than 100,000 rows");
    expect(said(NUMBER, 50_000, "about")).toBe("Incomplete, only the newest 3 of about 50,000 rows");
  });

  it("says nothing where all rows are here", () => {
    expect([said(NUMBER, 3), said(NUMBER, 2)]).toEqual(["", ""]);
  });

  it("says nothing where it lists the newest rows, unless others could be in their place", () => {
    expect(said(TABLE, 50_000)).toBe("");
    expect(said({ ...TABLE, order_by: "n" }, 50_000)).not.toBe("");
    expect(said({ ...TABLE, filters: [FILTER] }, 50_000)).not.toBe("");
    expect(said(TABLE, 50_000, "exact", [FILTER])).not.toBe("");
  });

  it("doesn't claim to know how many more there are", () => {
    expect(text(<RestLine text="12 more series" truncated />)).toBe("At least 12 more series");
    expect(text(<RestLine text="12 more series" truncated={false} />)).toBe("12 more series");
    const list = { bars: [], measure: "n", label: "list", rest: 4, still: true };
    expect(text(<Bars {...list} />)).toBe("and 4 more");
    expect(text(<Bars {...list} least />)).toBe("and at least 4 more");
  });
});
