import type { ConnectionTest } from "../../../api/types";
import { duration } from "../../../ui/format/durations";
import { RawText } from "../../../ui/placeholders";
import { Badge, type Tone } from "../../../ui/status";
import classes from "./clusters.module.css";

type Stage = ConnectionTest["stages"][number];

const NAMES: Readonly<Record<Stage["stage"], string>> = { resolve: "Resolve address", connect: "Connect", tls: "TLS", authenticate: "Authenticate", list: "List topics" };
const TONES: Readonly<Record<Stage["state"], Tone>> = { done: "good", failed: "bad", not_reached: "idle" };
const WORDS: Readonly<Record<Stage["state"], string>> = { done: "passed", failed: "failed", not_reached: "skipped" };

/** How far a connection came: each stage with what was seen, the failed one with its cause. */
export function ConnectionTestResult({ trial }: { trial: ConnectionTest }) {
  return (
    <div role="status" className={classes["trial"]}>
      <p><strong>{trial.ok ? "Connection successful" : "Connection failed"}</strong> <span className="soft">{duration(trial.elapsed_ms)}</span></p>
      <ol>
        {trial.stages.map(({ stage, state, detail }) => (
          <li key={stage}>
            <span>{NAMES[stage]}</span>
            <Badge tone={TONES[state]} plain>{WORDS[state]}</Badge>
            <span className={state === "failed" ? undefined : "soft"}>{detail}</span>
          </li>
        ))}
      </ol>
      {trial.raw && <RawText text={trial.raw} label="Client log" />}
    </div>
  );
}
