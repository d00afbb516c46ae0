import { DURATION_STEPS } from "../charts/axes";
import { seconds } from "../ui/format/durations";
import { measured } from "../ui/format/numbers";
import type { Chart } from "./history-charts";

/** Consumer lag of a job or a group, in time and in records. */
export const LAG_CHARTS: readonly Chart<"lag_seconds" | "lag_records">[] = [
  {
    title: "Consumer lag",
    unit: "time",
    write: seconds,
    steps: DURATION_STEPS,
    lines: [["Lag", "lag_seconds"]],
  },
  { title: "Consumer lag", unit: "records", write: measured, lines: [["Records", "lag_records"]] },
];
