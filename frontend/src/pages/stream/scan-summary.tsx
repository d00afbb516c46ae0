import type { Scan } from "../../api/types";
import { duration } from "../../ui/format/durations";
import { bytes, count, counted } from "../../ui/format/numbers";
import classes from "./stream.module.css";

const STOPPED: Readonly<Record<Scan["stop_reason"], string>> = {
  limit: "result limit",
  end: "end of topic",
  time: "end of range",
  bytes: "byte limit",
  records: "record limit",
  timeout: "time limit",
};

/** How far a scan went and why it stopped, so that an empty result always says what was scanned. */
export function ScanSummary({ scans }: { scans: readonly Scan[] }) {
  const last = scans.at(-1);
  if (!last) return null;
  const sum = (pick: (one: Scan) => number) => scans.reduce((total, one) => total + pick(one), 0);
  return (
    <details className={classes["note"]}>
      <summary>
        Scanned{" "}
        {counted(
          sum(({ records }) => records),
          "record",
        )}{" "}
        ({bytes(sum((one) => one.bytes))}) in {duration(sum(({ elapsed_ms }) => elapsed_ms))} ·{" "}
        {STOPPED[last.stop_reason]}
      </summary>
      <ul>
        {last.partitions.map(({ partition, from, to, log_start, log_end }) => (
          <li key={partition}>
            Partition {partition}: offsets {count(from)} to {count(to)} of {count(log_start)} to{" "}
            {count(log_end)}
          </li>
        ))}
      </ul>
    </details>
  );
}
