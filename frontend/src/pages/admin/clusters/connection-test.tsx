import type { ConnectionTest } from "../../../api/types";
import { duration } from "../../../ui/format/durations";
import { RawText } from "../../../ui/placeholders";
import { Badge, type Tone } from "../../../ui/status";
import classes from "./clusters.module.css";

type Check = ConnectionTest["checks"][number];

const NAMES: Readonly<Record<Check["check"], string>> = {
  resolve: "Resolve address",
  connect: "Connect",
  tls: "TLS",
  authenticate: "Authenticate",
  list: "List topics",
};
const TONES: Readonly<Record<Check["state"], Tone>> = { passed: "good", failed: "bad", skipped: "idle" };
const WORDS: Readonly<Record<Check["state"], string>> = {
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
};

/** The checks of a connection test: each with its observation, the failed one with its cause. */
export function ConnectionTestResult({ trial }: { trial: ConnectionTest }) {
  return (
    <div role="status" className={classes["trial"]}>
      <p>
        <strong>{trial.ok ? "Connection successful" : "Connection failed"}</strong>{" "}
        <span className="soft">{duration(trial.elapsed_ms)}</span>
      </p>
      <ol>
        {trial.checks.map(({ check, state, detail }) => (
          <li key={check}>
            <span>{NAMES[check]}</span>
            <Badge tone={TONES[state]} plain>
              {WORDS[state]}
            </Badge>
            <span className={state === "failed" ? undefined : "soft"}>{detail}</span>
          </li>
        ))}
      </ol>
      {trial.raw && <RawText text={trial.raw} label="Client log" />}
    </div>
  );
}
