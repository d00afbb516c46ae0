import { describe, expect, it } from "vitest";
import type { AlertsFrame } from "../../live/frames";
import { unread } from "./unread";

const at = (iso: string) => Date.parse(iso) * 1000;
const one = (fired: string, more: Partial<AlertsFrame["open"][number]> = {}) => ({
  alert_id: fired,
  job_id: null,
  severity: "warning" as const,
  fired_us: at(fired),
  acknowledged: false,
  silenced: false,
  ...more,
});
const frame = (...open: AlertsFrame["open"]): AlertsFrame => ({
  op: "alerts",
  id: 1,
  changed_us: null,
  firing: open.length,
  pending: 0,
  open,
});

describe("unread alerts", () => {
  it("counts what fired after the last look", () => {
    const found = frame(one("2026-01-01T00:00:00Z"), one("2026-01-01T00:00:02Z", { severity: "critical" }));
    expect(unread(found, "2026-01-01T00:00:01Z")).toEqual({ count: 1, severity: "critical" });
    expect(unread(found, "2026-01-01T00:00:02Z").count).toBe(0);
  });
  it("counts nothing that fired in the microsecond until which somebody looked", () => {
    const found = frame(one("2026-01-01T00:00:00Z", { fired_us: at("2026-01-01T00:00:00Z") + 123_456 }));
    expect(unread(found, "2026-01-01T00:00:00.123456Z").count).toBe(0);
    expect(unread(found, "2026-01-01T00:00:00.123455Z").count).toBe(1);
    expect(unread(found, "2026-01-01T00:00:00.1234Z").count).toBe(1);
  });
  it("counts everything for who never looked", () => {
    expect(unread(frame(one("2026-01-01T00:00:00Z")), null).count).toBe(1);
  });
  it("leaves out what somebody looks after, and what is silenced", () => {
    const found = frame(
      one("2026-01-01T00:00:00Z", { acknowledged: true }),
      one("2026-01-01T00:00:00Z", { silenced: true }),
    );
    expect(unread(found, null).count).toBe(0);
  });
});
