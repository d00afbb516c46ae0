import { describe, expect, it } from "vitest";
import { placeOf } from "./alert-place";

const job = (more: object) => placeOf({ job_id: "j", group: {}, row: null, unit: "", ...more });
const other = (group: Record<string, string>) => placeOf({ job_id: null, group, row: null, unit: "" });

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
    expect(other({ engine: "shared" })?.href).toBe("/admin/engines");
    expect(other({ member: "ann" })?.href).toBe("/admin/tokens");
    expect(other({})).toBeNull();
  });
});
