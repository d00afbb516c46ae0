import { measured, plain } from "../ui/format/numbers";
import { scaleOf, spanOf, zeroAt, type Span } from "./bar-span";
import classes from "./bars.module.css";

export interface Bar {
  key: string;
  label: string;
  value: number;
  /** a colour of the stylesheet; that of the first series by default */
  color?: string;
}

/** The largest values by key, as a list that looks like a chart. */
export function Bars({
  bars,
  measure,
  label = `Top keys by ${measure}`,
  rest,
  least = false,
  write = written,
  still = false,
}: {
  bars: readonly Bar[];
  measure: string;
  label?: string;
  rest: number;
  /** `rest` is not all: there is more than what the bars are made of, and than a table beside them has */
  least?: boolean;
  /** how values are written */
  write?: (value: number) => string;
  /** bars change without an animation: many of them, often */
  still?: boolean;
}) {
  const scale = scaleOf(bars.map(({ value }) => value));
  const zero = zeroAt(scale);
  return (
    <>
      <ol className={classes["bars"]} aria-label={label} data-still={still || undefined}>
        {bars.map(({ key, label: name, value, color }) => (
          <li key={key}>
            <span className={`${classes["label"] ?? ""} clip`} title={name}>
              {name}
            </span>
            <span className={classes["track"]}>
              <span
                className={classes["bar"]}
                style={{
                  transform: transformOf(spanOf(value, scale)),
                  ...(color && { background: color }),
                }}
              />
              {zero !== null && <span className={classes["zero"]} style={{ left: percent(zero) }} />}
            </span>
            <span className={classes["value"]} title={plain(value)}>
              {write(value)}
            </span>
          </li>
        ))}
      </ol>
      {rest > 0 && (
        <p className={classes["rest"]}>
          and {least ? "at least " : ""}
          {plain(rest)} more{still || least ? "" : " in the table"}
        </p>
      )}
    </>
  );
}

function percent(part: number): string {
  return `${String(part * 100)}%`;
}

function transformOf({ left, size }: Span): string {
  return `translateX(${percent(left)}) scaleX(${String(size)})`;
}

function written(value: number): string {
  return Math.abs(value) >= 1000 ? plain(Math.round(value)) : measured(value);
}
