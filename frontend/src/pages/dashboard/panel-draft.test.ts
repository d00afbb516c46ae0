import { describe, expect, it } from "vitest";
import type { Panel } from "../../api/types";
import { applied, lackingOf } from "./panel-draft";

const PANEL = {
  kind: "top_list",
  filters: [{ field: "symbol", values: ["A"] }],
  label: ["symbol"],
  thresholds: [
    { value: 5, tone: "warn" },
    { value: 1, tone: "bad" },
  ],
} as unknown as Panel;

describe("a panel that is edited", () => {
  it("has its thresholds in order when it is applied", () => {
    expect(applied(PANEL)).toMatchObject({ thresholds: [{ value: 1 }, { value: 5 }] });
  });

  it("is applied only with all that the server asks for", () => {
    expect(lackingOf(PANEL)).toBeNull();
    expect(lackingOf({ ...PANEL, filters: [{ field: "symbol", values: [] }] })).toContain("filter");
    expect(lackingOf({ ...PANEL, label: [] } as unknown as Panel)).toContain("keys");
    const twice = [
      { value: 1, tone: "warn" },
      { value: 1, tone: "bad" },
    ];
    expect(lackingOf({ ...PANEL, thresholds: twice } as unknown as Panel)).toContain("thresholds");
  });
});
