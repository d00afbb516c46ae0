import { measured, plain } from "../ui/format/numbers";
import classes from "./bars.module.css";

export interface Bar {
  key: string;
  label: string;
  value: number;
}

/** The largest values by key, as a list that looks like a chart. */
export function Bars({
  bars,
  measure,
  label = `Top keys by ${measure}`,
  rest,
}: {
  bars: readonly Bar[];
  measure: string;
  label?: string;
  rest: number;
}) {
  const largest = Math.max(0, ...bars.map(({ value }) => value));
  return (
    <>
      <ol className={classes["bars"]} aria-label={label}>
        {bars.map(({ key, label: name, value }) => (
          <li key={key}>
            <span className={`${classes["label"] ?? ""} clip`} title={name}>
              {name}
            </span>
            <span className={classes["track"]}>
              <span
                className={classes["bar"]}
                style={{ transform: `scaleX(${String(largest > 0 ? Math.max(0, value) / largest : 0)})` }}
              />
            </span>
            <span className={classes["value"]} title={plain(value)}>
              {Math.abs(value) >= 1000 ? plain(Math.round(value)) : measured(value)}
            </span>
          </li>
        ))}
      </ol>
      {rest > 0 && <p className={classes["rest"]}>and {plain(rest)} more in the table</p>}
    </>
  );
}
