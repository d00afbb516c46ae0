import { useMemo } from "react";
import { Bars } from "../../../charts/bars";
import { keyLabel, numeric, windowChartData, windowStep } from "../../../charts/windows";
import { WindowChart } from "../../../charts/window-chart";
import { OnlyNewest } from "../../../charts/only-newest";
import type { CachedRow, ResultView } from "../../../live/result-store";
import { useUrlState } from "../../../ui/url-state";
import { counted, plain } from "../../../ui/format/numbers";
import { instant, shortTime } from "../../../ui/format/times";
import { parseKeys } from "./chosen-keys";
import { isCount, type RowShape } from "./row-shape";
import { rangeSeconds } from "./time-ranges";
import { useMeasure } from "./use-measure";
import classes from "./live.module.css";

const DRAWN_BARS = 16;

interface ResultChartProps {
  shape: RowShape;
  rows: readonly CachedRow[];
  /** what the rows are a part of */
  of: Pick<ResultView, "total" | "totalIs" | "truncated">;
  /** event time in seconds: windows that ended by then are closed; null: none is known to be */
  closedUntil: number | null;
}

/** Windows: lines over time. Keys: bars. One row: its numbers. And whether the result has more rows. */
export function ResultChart(props: ResultChartProps) {
  const { rows, of } = props;
  return (
    <>
      <Drawing {...props} />
      {of.truncated && (
        <p className={classes["chartNote"]}>
          <OnlyNewest rows={rows.length} of={of} />
        </p>
      )}
    </>
  );
}

function Drawing({ shape, rows, of, closedUntil }: ResultChartProps) {
  const [measure] = useMeasure(shape);
  if (!measure) return null;
  if (shape.windowed)
    return (
      <Windows
        shape={shape}
        rows={rows}
        of={of}
        closedUntil={closedUntil}
        measure={measure.name}
        counts={isCount(measure)}
      />
    );
  const first = rows[0];
  if (rows.length === 1 && first) return <Single shape={shape} row={first} />;
  return <KeyBars shape={shape} rows={rows} measure={measure.name} least={of.truncated} />;
}

function Windows({
  shape,
  rows,
  of,
  closedUntil,
  measure,
  counts,
}: ResultChartProps & { measure: string; counts: boolean }) {
  const [spanName] = useUrlState("span", "auto");
  const [keys] = useUrlState("keys", "");
  const chart = useMemo(() => {
    const keyFields = shape.keys.map(({ name }) => name);
    const span = rangeSeconds(spanName, windowStep(rows));
    return windowChartData(rows, {
      keyFields,
      measure,
      keys: parseKeys(keys),
      span,
      closedUntil,
    });
  }, [rows, shape, measure, keys, spanName, closedUntil]);
  return (
    <>
      <WindowChart chart={chart} measure={measure} counts={counts} height={340} />
      <p className={classes["chartNote"]}>
        {chart.fillingFrom !== null && (
          <>
            <span className={classes["swatch"]} aria-hidden /> open windows.{" "}
          </>
        )}
        {chart.rest > 0 &&
          (of.truncated
            ? `At least ${counted(chart.rest, "more key")}.`
            : `${counted(chart.rest, "more key")} in the table.`)}
      </p>
    </>
  );
}

function KeyBars({
  shape,
  rows,
  measure,
  least,
}: {
  shape: RowShape;
  rows: readonly CachedRow[];
  measure: string;
  /** there are more rows than these */
  least: boolean;
}) {
  const bars = useMemo(() => {
    return rows
      .flatMap(({ id, value }) => {
        const number = numeric(value[measure]);
        return number === null ? [] : [{ key: id, label: rowLabel(value, shape.keys), value: number }];
      })
      .sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1));
  }, [rows, shape, measure]);
  return (
    <Bars
      bars={bars.slice(0, DRAWN_BARS)}
      measure={measure}
      rest={Math.max(0, bars.length - DRAWN_BARS)}
      least={least}
    />
  );
}

/** The key of a row, with times in the reader's zone. */
function rowLabel(value: Record<string, unknown>, keys: RowShape["keys"]): string {
  const shown = keys.map(({ name, type }): readonly [string, unknown] => {
    const text = value[name];
    return [name, type === "timestamp" && typeof text === "string" ? shortTime(instant(text)) : text];
  });
  return keyLabel(
    Object.fromEntries(shown),
    keys.map(({ name }) => name),
  );
}

function Single({ shape, row }: { shape: RowShape; row: CachedRow }) {
  return (
    <dl className={classes["single"]}>
      {shape.measures.map(({ name }) => {
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{singleText(row.value[name])}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Decimals and long integers come as text, and are shown with all of their digits. */
export function singleText(value: unknown): string {
  if (typeof value === "number") return plain(value);
  return typeof value === "string" ? value : "null";
}
