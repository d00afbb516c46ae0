import { describe, expect, it } from "vitest";
import type { AlertsFrame } from "../live/frames";
import { alertsShown } from "./alerts-shown";

const FIRING = {
  alert_id: "a1",
  job_id: null,
  severity: "warning" as const,
  fired_us: 1,
  acknowledged: false,
  silenced: true,
};
const FRAME: AlertsFrame = { op: "alerts", id: 1, changed_us: 7, firing: 1, pending: 1, open: [FIRING] };

describe("the lists of alerts are read again, though no alert has changed, when", () => {
  it("a silence has ended", () => {
    const after = { ...FRAME, open: [{ ...FIRING, silenced: false }] };
    expect(alertsShown(after)).not.toBe(alertsShown(FRAME));
  });

  it("a pending alert is over, or the rule of a firing one is deleted", () => {
    expect(alertsShown({ ...FRAME, pending: 0 })).not.toBe(alertsShown(FRAME));
    expect(alertsShown({ ...FRAME, firing: 0, open: [] })).not.toBe(alertsShown(FRAME));
  });
});

it("a frame that says the same again reads nothing, and one with a change does", () => {
  expect(alertsShown({ ...FRAME, open: [{ ...FIRING }] })).toBe(alertsShown(FRAME));
  expect(alertsShown({ ...FRAME, changed_us: 8 })).not.toBe(alertsShown(FRAME));
});
