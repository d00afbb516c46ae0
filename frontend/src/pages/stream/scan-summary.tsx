import type { Scan } from "../../api/types";
import { duration } from "../../ui/format/durations";
import { bytes, count, counted } from "../../ui/format/numbers";
import classes from "./stream.module.css";

const STOPPED: Readonly<Record<Scan["stopped_because"], string>> = {
  limit: "enough were found",
  end: "the end of the topic was reached",
  time: "the end of the time range was reached",
  bytes: "as many bytes were read as one look may",
  records: "as many records were read as one look may",
  timeout: "the time for one look was over",
};

/** How far a look went and why it stopped: never "no messages" without saying where it looked. */
export function ScanSummary({ looked }: { looked: readonly Scan[] }) {
  const last = looked.at(-1);
  if (!last) return null;
  const sum = (pick: (one: Scan) => number) => looked.reduce((total, one) => total + pick(one), 0);
  return (
    <details className={classes["looked"]}>
      <summary>
        Looked at {counted(sum(({ records }) => records), "record")} ({bytes(sum((one) => one.bytes))}) in {duration(sum(({ elapsed_ms }) => elapsed_ms))}; stopped because {STOPPED[last.stopped_because]}.
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
