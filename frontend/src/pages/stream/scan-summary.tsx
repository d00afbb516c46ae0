import type { Scan } from "../../api/types";
import { duration } from "../../ui/format/durations";
import { bytes, count, counted } from "../../ui/format/numbers";
import classes from "./stream.module.css";

const STOPPED: Readonly<Record<Scan["stopped_because"], string>> = {
  limit: "result limit",
  end: "end of topic",
  time: "end of range",
  bytes: "byte limit",
  records: "record limit",
  timeout: "time limit",
};

/** How far a scan went and why it stopped, so that an empty result always says what was scanned. */
export function ScanSummary({ looked }: { looked: readonly Scan[] }) {
  const last = looked.at(-1);
  if (!last) return null;
  const sum = (pick: (one: Scan) => number) => looked.reduce((total, one) => total + pick(one), 0);
  return (
    <details className={classes["looked"]}>
      <summary>
        Scanned {counted(sum(({ records }) => records), "record")} ({bytes(sum((one) => one.bytes))}) in {duration(sum(({ elapsed_ms }) => elapsed_ms))} · {STOPPED[last.stopped_because]}
      </summary>
      <ul>
        {last.partitions.map(({ partition, from, to, start, end }) => (
          <li key={partition}>
            Partition {partition}: offsets {count(from)} to {count(to)} of {count(start)} to {count(end)}
          </li>
        ))}
      </ul>
    </details>
  );
}
