import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { keys } from "../../api/query-keys";
import type { Overview } from "../../api/types";
import { renderedInWorkspace } from "../../testing/rendered";
import { OverviewPage } from "./overview";

const OVERVIEW: Overview = {
  jobs: { running: 3, failed: 0, waiting: 0, stopped: 0, total: 3 },
  attention: [],
  rows_per_second: 40,
  unmeasured_jobs: 0,
  max_lag_seconds: 2,
  unmeasured_lags: 0,
  events: [],
  engines: [],
  broker: { reachable: true, checked_at: null } as unknown as Overview["broker"],
};

function rendered(part: Partial<Overview>): string {
  vi.stubGlobal("window", { location: { search: "" } });
  const client = new QueryClient();
  client.setQueryData(keys.overview("ops"), { ...OVERVIEW, ...part });
  return renderedInWorkspace(<OverviewPage />, { role: "viewer", client });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("says of how many jobs the greatest lag isn't, measured or not", () => {
  expect(rendered({})).toContain("All running jobs");
  const page = rendered({ unmeasured_lags: 2 });
  expect(page).toContain("Without 2 jobs whose exact lag isn&#x27;t known");
  expect(page).not.toContain("not measured yet");
  expect(rendered({ unmeasured_lags: 1 })).toContain("Without 1 job whose");
});

it("says how many jobs the rate is without", () => {
  expect(rendered({ unmeasured_jobs: 2 })).toContain("Without 2 jobs not measured yet");
});
