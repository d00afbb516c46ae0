import { Bars } from "../../../charts/bars";
import type { Validation } from "../../../api/types";
import { count, share } from "../../../ui/format/numbers";
import { Table, type Column } from "../../../ui/table";
import { Time } from "../../../ui/time";
import classes from "../stream.module.css";

type Hour = Validation["history"][number];

const COLUMNS: readonly Column<Hour>[] = [
  { name: "Hour", cell: ({ hour }) => <Time at={hour} long /> },
  { name: "Validated", numeric: true, cell: ({ records }) => count(records) },
  { name: "Malformed", numeric: true, cell: ({ malformed }) => count(malformed) },
  {
    name: "% malformed",
    numeric: true,
    cell: ({ records, malformed }) => share(malformed / records),
  },
];

/** Malformed records by reason since validation started, and by hour of the last day. */
export function ValidationHistory({ validation: { counts, history } }: { validation: Validation }) {
  const bars = counts.by_reason.map(({ reason, records }) => ({
    key: reason,
    label: reason,
    value: records,
  }));
  return (
    <>
      {bars.length > 0 && (
        <div className={classes["counted"]}>
          <h3>Malformed records by reason, since validation started</h3>
          <Bars bars={bars} measure="" label="Malformed records by reason" rest={0} />
        </div>
      )}
      {history.length > 0 && (
        <details className={classes["counted"]}>
          <summary>Last 24 hours, by hour</summary>
          <Table
            label="Validated records by hour"
            columns={COLUMNS}
            rows={[...history].reverse()}
            rowKey={({ hour }) => hour}
          />
        </details>
      )}
    </>
  );
}
