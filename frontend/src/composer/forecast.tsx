/** State size estimate: an assumed load, and the state of each step under it. */

import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useForecast, useMeasuredLoad } from "../api/documents";
import { ownValue } from "../api/own-value";
import type { CheckedNode } from "../api/types";
import { OptionalNumber } from "../ui/number-field";
import { Panel } from "../ui/page";
import { LoadError } from "../ui/placeholders";
import { Badge } from "../ui/status";
import {
  countsKeys,
  entriesText,
  isPerDay,
  keysBasis,
  loadOf,
  rateBasis,
  sizeText,
  totalBytes,
  usualRate,
  UNMEASURED,
  type LoadAssumptions,
} from "./forecast-text";
import classes from "./composer.module.css";

interface ForecastProps {
  text: string;
  nodes: readonly CheckedNode[];
}

/** Shown for jobs with state. */
export function Forecast({ text, nodes }: ForecastProps) {
  const sources = nodes.filter(({ op }) => op === "source");
  const keyed = nodes.filter(countsKeys);
  const [supposed, setSupposed] = useState<LoadAssumptions>({ rates: {}, key_counts: {} });
  const [settled] = useDebouncedValue(supposed, 300);
  const measured = useMeasuredLoad(text).data ?? UNMEASURED;
  const load = loadOf(
    settled,
    measured,
    sources.map(({ name }) => name),
    keyed.map(({ name }) => name),
  );
  const forecast = useForecast(text, load);
  const set = (what: keyof LoadAssumptions, name: string) => (value: number | null) => {
    setSupposed((now) => ({
      ...now,
      [what]: { ...now[what], [name]: value },
    }));
  };
  const steps = forecast.data?.steps ?? [];
  const total = totalBytes(steps);
  return (
    <Panel
      title="State size estimate"
      aside={
        total !== null &&
        steps.length > 0 && <span className="soft">{sizeText({ bytes: total }, false)} in total</span>
      }
    >
      <p className="soft" style={{ marginBottom: 8 }}>
        Upper bound: assumes filters drop nothing.
      </p>
      <div className={classes["loads"]}>
        {sources.map(({ name }) => (
          <OptionalNumber
            key={name}
            label={`${name}: records/s`}
            min={0}
            allowDecimal
            thousandSeparator=","
            hideControls
            description={Object.hasOwn(supposed.rates, name) ? "As you set it" : rateBasis(measured, name)}
            value={
              (Object.hasOwn(supposed.rates, name) ? supposed.rates[name] : usualRate(measured, name)) ?? null
            }
            onChange={set("rates", name)}
          />
        ))}
        {keyed.map(({ name }) => (
          <OptionalNumber
            key={name}
            label={`${name}: distinct keys`}
            min={0}
            thousandSeparator=","
            hideControls
            description={
              Object.hasOwn(supposed.key_counts, name) ? "As you set it" : keysBasis(measured, name)
            }
            value={
              ownValue(
                Object.hasOwn(supposed.key_counts, name) ? supposed.key_counts : measured.key_counts,
                name,
              ) ?? null
            }
            onChange={set("key_counts", name)}
          />
        ))}
      </div>
      {forecast.error && !forecast.data ? (
        <LoadError
          title="Couldn't estimate state size"
          error={forecast.error}
          onRetry={() => {
            void forecast.refetch();
          }}
        />
      ) : (
        <table className={classes["forecast"]} aria-label="State by step">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Entries</th>
              <th scope="col">Size</th>
            </tr>
          </thead>
          <tbody aria-live="polite">
            {steps.map((step) => (
              <tr key={step.step}>
                <th scope="row">
                  {step.step}
                  {step.bound === "unbounded" && (
                    <>
                      {" "}
                      <Badge tone="warn" plain>
                        unbounded
                      </Badge>
                    </>
                  )}
                </th>
                <td>{entriesText(step, isPerDay(step, load))}</td>
                <td>{sizeText(step, isPerDay(step, load))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
