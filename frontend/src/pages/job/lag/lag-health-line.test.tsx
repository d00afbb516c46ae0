import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Job, LagHealth } from "../../../api/types";
import { LagHealthLine } from "./lag-health-line";

const FINE: LagHealth = {
  health: "fine",
  since: null,
  in_rate: 10,
  out_rate: 10,
  catch_up_s: null,
  loss_s: null,
  lost_records: 0,
};

/** What of a job the line reads. */
function words(
  lag_health: LagHealth | null,
  desired: Job["desired"] = "running",
  rate_limit: number | null = null,
  lag: Job["lag"] = { records: 900, seconds: 12 },
): string {
  const job = { desired, lag_health, lag, rows_per_second: 80, rate_limit } as Job;
  const html = renderToStaticMarkup(
    <MantineProvider>
      <LagHealthLine job={job} />
    </MantineProvider>,
  );
  return html.replace(/<[^>]*>/g, "");
}

test("says what the platform judged, and how far the job is behind", () => {
  const text = words({ ...FINE, health: "falling_behind", in_rate: 200, out_rate: 80 });
  expect(text).toContain("Falling behind");
  expect(text).toContain("by 120 records/s");
  expect(text).toContain("900 records, 12 s behind; reading 80 records/s");
});

test("says in records alone how far the job is behind where the time isn't known", () => {
  const text = words(FINE, "running", null, { records: 900, seconds: null });
  expect(text).toContain("900 records behind; reading 80 records/s");
});

test("says until when it has caught up", () => {
  expect(words({ ...FINE, health: "catching_up", catch_up_s: 90 })).toContain("Estimated to catch up at");
});

test("says when records are lost, also of a job that was stopped", () => {
  expect(words({ ...FINE, health: "stopped", loss_s: 3_600 })).toContain("Records lost in 1 h");
  expect(words({ ...FINE, health: "stopped", loss_s: 3_600 }, "stopped")).toContain("Records lost in 1 h");
  expect(words({ ...FINE, health: "losing", lost_records: 7, loss_s: 0 })).toContain("Records lost now");
});

test("says that the job limits its rate", () => {
  expect(words(FINE, "running", 1_500)).toContain("Limited to 1,500 records/s per stream.");
  expect(words(FINE)).not.toContain("Limited");
});

test("what nobody judged is not known", () => {
  expect(words(null)).toContain("Too early to tell");
});
