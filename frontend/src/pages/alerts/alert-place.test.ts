import { describe, expect, it } from "vitest";
import { placeOf, rangeAround } from "./alert-place";

const now = Date.parse("2026-11-25T03:00:00Z");
const plain = { row: null, unit: "" as const, since: "2026-11-25T02:50:00Z", resolved_at: null };
const job = (more: object) => placeOf({ ...plain, job_id: "j", group: {}, ...more }, now);
const other = (group: Record<string, string>) => placeOf({ ...plain, job_id: null, group }, now);

describe("where an alert leads", () => {
  it("leads to the part of the job that shows it", () => {
    expect(job({ row: { low: 1 } })?.href).toBe("/jobs/j");
    expect(job({ unit: "s" })?.href).toBe("/jobs/j/lag");
    expect(job({ group: { source: "trades" }, unit: "share" })?.href).toBe("/jobs/j/lag");
    expect(job({ group: { objective: "freshness" } })?.href).toBe("/alerts/objectives");
    expect(job({ unit: "yes or no" })?.href).toBe("/jobs/j/problems");
  });
  it("leads to what is no job's", () => {
    expect(other({ stream: "trades" })?.href).toBe("/streams/trades/dead-letters");
    expect(other({ cluster: "home" })?.href).toBe("/admin/clusters");
    expect(other({ cluster: "home", group: "a/b" })?.href).toBe("/consumers/home/a%2Fb/history");
    expect(other({ engine: "shared" })?.href).toBe("/admin/engines");
    expect(other({ member: "ann" })?.href).toBe("/admin/tokens");
    expect(other({})).toBeNull();
  });
  it("leads to that time", () => {
    const range = (since: string, resolved_at: string | null) => rangeAround({ since, resolved_at }, now);
    expect(range("2026-11-25T02:50:00Z", null)).toBe("");
    expect(range("2026-11-24T23:00:00Z", null)).toBe("?range=300");
    expect(range("2026-11-20T10:00:00Z", "2026-11-20T10:20:00Z")).toBe(
      "?range=60&until=2026-11-20T10%3A35%3A00.000Z",
    );
    expect(range("2026-11-20T10:00:00Z", "2026-11-20T14:00:00Z")).toBe(
      "?range=360&until=2026-11-20T15%3A00%3A00.000Z",
    );
  });
});
