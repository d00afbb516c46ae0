import { memo } from "react";
import { ownValue } from "../../../api/own-value";
import type { CachedRow } from "../../../live/result-store";
import { brief, plain } from "../../../ui/format/numbers";
import { epochInstant, instant, shortTime, utcTime, windowText } from "../../../ui/format/times";
import { useToday } from "../../../ui/time";
import type { ResultColumn } from "./columns";
import classes from "./result-table.module.css";

// A cell that changes all the time flashes once in this time, not at each drawing.
const FLASH_MS = 2_000;

interface CellProps {
  row: CachedRow;
  column: ResultColumn;
}

export const ResultCell = memo(function ResultCell({ row, column }: CellProps) {
  const changed = ownValue(row.changed, column.field);
  const align = column.numeric ? classes["right"] : undefined;
  return (
    <div role="cell" className={align}>
      <span
        key={changed === undefined ? 0 : Math.floor(changed / FLASH_MS)}
        className={
          changed === undefined ? classes["cell"] : `${classes["cell"] ?? ""} ${classes["flash"] ?? ""}`
        }
      >
        <Content row={row} column={column} />
      </span>
    </div>
  );
});

function Content({ row, column }: CellProps) {
  const value = row.value[column.field];
  if (column.kind === "window") return <WindowBounds row={row} />;
  if (column.kind === "newest") return <Newest at={new Date(row.newest / 1000)} />;
  if (value === null || value === undefined) return <span className="soft">null</span>;
  if (column.kind === "time" && typeof value === "string") return <Instant at={instant(value)} raw={value} />;
  if (column.kind === "instant" && typeof value === "number")
    return <Instant at={epochInstant(value)} raw={`${plain(value)} since 1970`} />;
  // Decimals come as text and are shown as they were written: every digit counts.
  if (typeof value === "string") return <>{value}</>;
  return (
    <span title={typeof value === "number" ? plain(value) : undefined}>
      {typeof value === "number" ? brief(value) : JSON.stringify(value)}
    </span>
  );
}

function Newest({ at }: { at: Date }) {
  useToday();
  return (
    <span className="soft" title={`Kafka timestamp ${utcTime(at)}`}>
      {shortTime(at)}
    </span>
  );
}

function WindowBounds({ row }: { row: CachedRow }) {
  useToday();
  const start = instant(String(row.value["window_start"]));
  const end = instant(String(row.value["window_end"]));
  return (
    <span title={`${utcTime(start)} to ${utcTime(end)}`}>
      {windowText(start, end)}
      {row.partial && (
        <span
          className={classes["partial"]}
          title="Opened before the job's start position, or before a measure was added; rows may be missing"
        >
          {" "}
          partial
        </span>
      )}
    </span>
  );
}

/** In the reader's zone; what the row has is in the tooltip. */
function Instant({ at, raw }: { at: Date | null; raw: string }) {
  useToday();
  return at ? <span title={`${utcTime(at)} (${raw})`}>{shortTime(at)}</span> : <>{raw}</>;
}
