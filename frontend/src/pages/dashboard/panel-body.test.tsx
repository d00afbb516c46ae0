import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { PanelOf } from "../../api/types";
import { NumberDrawing, TableCell } from "./panel-body";
import { at, row } from "./rows.test-data";

const TABLE = { kind: "table", value: null, unit: "", thresholds: [] } as unknown as PanelOf<"table">;

function html(value: unknown, more: Partial<PanelOf<"table">> = {}): string {
  const cell = <TableCell panel={{ ...TABLE, ...more }} name="n" value={value} />;
  return renderToStaticMarkup(<MantineProvider>{cell}</MantineProvider>).replace(/<style.*?<\/style>/gs, "");
}

describe("a cell of a table", () => {
  it.each([null, "n"])("has all digits of a number, whether the panel measures it or not (%s)", (value) => {
    expect(html(1234.56, { value })).toContain(">1,234.56<");
    expect(html(187.4321, { value })).toContain("187.4321");
    expect(html(0.1234567, { value })).toBe('<span title="0.1234567">0.1235</span>');
    expect(html("12.3400", { value })).toContain("12.3400");
  });

  it("has them beside a number with a unit, which is short", () => {
    const measured = { value: "n", unit: "USD" };
    expect(html(187.4321, measured)).toBe('<span title="187.4321">187 USD</span>');
    expect(html("187.4321", measured)).toBe('<span title="187.4321">187 USD</span>');
  });

  it("says where there is no value", () => {
    expect(html(null)).toContain("null");
  });
});

it("a number says of when it is as other times are said: with its day, and UTC for machines", () => {
  const panel = {
    kind: "number",
    value: "n",
    x: "t",
    unit: "",
    filters: [],
    thresholds: [],
    aggregation: "sum",
  };
  const page = renderToStaticMarkup(
    <MantineProvider>
      <NumberDrawing
        panel={panel as unknown as PanelOf<"number">}
        rows={[row({ t: at(5), n: 7 })]}
        context={{ shared: [], spanS: null, closedUntil: null } as never}
        truncated={false}
      />
    </MantineProvider>,
  );
  expect(page).toContain('<time dateTime="2026-01-01T00:00:05.000Z"');
});
