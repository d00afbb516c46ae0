/**
 * Observed and desired state as a shape and a word. Shapes differ too, so colour is not needed to tell them
 * apart.
 */

import { Tooltip } from "@mantine/core";
import type { Observed } from "../api/types";
import { counted, measured } from "./format/numbers";
import classes from "./status.module.css";

export type Tone = "good" | "warn" | "bad" | "idle";

interface StateStyle {
  word: string;
  tone: Tone;
  means: string;
}

const STATE_STYLES: Readonly<Record<Observed, StateStyle>> = {
  running: { word: "Running", tone: "good", means: "The engine reports that the query is running." },
  starting: { word: "Starting", tone: "warn", means: "The engine is starting the query." },
  queued: {
    word: "Queued",
    tone: "warn",
    means: "Waiting for processor time, for its turn or for an engine. The job starts by itself.",
  },
  replaying: {
    word: "Replaying",
    tone: "warn",
    means: "Reprocessing input since the last checkpoint. Live results are paused until the job catches up.",
  },
  waiting: {
    word: "Waiting for Kafka",
    tone: "warn",
    means: "Kafka is unreachable. The job resumes automatically.",
  },
  stopping: { word: "Stopping", tone: "warn", means: "The engine is stopping the query." },
  stopped: { word: "Stopped", tone: "idle", means: "State is kept; you can resume the job." },
  failed: {
    word: "Failed",
    tone: "bad",
    means: "The query failed. The job page shows the cause and any scheduled retry.",
  },
  unknown: {
    word: "Unknown",
    tone: "warn",
    means: "No engine heartbeat. The job may still be running; Weir takes no action until heartbeats return.",
  },
  never_started: { word: "Never started", tone: "idle", means: "The job has not been started yet." },
};

/** A state that a newer server may know and we do not is shown by its own name. */
export function stateStyle(state: string): StateStyle {
  return (
    (STATE_STYLES as Readonly<Partial<Record<string, StateStyle>>>)[state] ?? {
      word: state,
      tone: "idle",
      means: "Unknown status. Reload the page.",
    }
  );
}

function Shape({ tone }: { tone: Tone }) {
  return (
    <svg viewBox="0 0 10 10" width="9" height="9" aria-hidden="true" className={classes["shape"]}>
      {tone === "good" && <circle cx="5" cy="5" r="4.5" fill="currentColor" />}
      {tone === "warn" && <path d="M5 .5L9.7 9.2H.3z" fill="currentColor" />}
      {tone === "bad" && (
        <path
          d="M1.2 0L5 3.5 8.8 0 10 1.2 6.5 5 10 8.8 8.8 10 5 6.5 1.2 10 0 8.8 3.5 5 0 1.2z"
          fill="currentColor"
        />
      )}
      {tone === "idle" && (
        <rect x="1" y="1" width="8" height="8" rx="1" fill="none" stroke="currentColor" strokeWidth="1.6" />
      )}
    </svg>
  );
}

const LONGEST_WORDS = 40;

/** Words in a tone: `<Badge tone="bad">gap</Badge>`; as `plain` also a sentence, broken into lines. */
export function Badge({
  tone,
  children,
  plain = false,
}: {
  tone: Tone;
  children: React.ReactNode;
  plain?: boolean;
}) {
  return (
    <span
      className={plain ? classes["plain"] : classes["mark"]}
      data-tone={tone}
      data-sentence={(typeof children === "string" && children.length > LONGEST_WORDS) || undefined}
    >
      <Shape tone={tone} />
      {children}
    </span>
  );
}

/** Of a host whose processors are full. */
export interface Overload {
  cores_used: number;
  cores: number;
}

export function overloadText({ cores_used, cores }: Overload): string {
  const used = `${measured(cores_used)} of ${counted(cores, "core")}`;
  return `${used} of the engine's host in use over 20 s. Everything on it is late.`;
}

/** Overload is said beside a state, and instead of one that is unknown because of it. */
export function StateBadge({
  state,
  plain = false,
  overload = null,
}: {
  state: string;
  plain?: boolean;
  overload?: Overload | null;
}) {
  const { word, tone, means } = stateStyle(state);
  if (overload !== null)
    return (
      <Tooltip label={overloadText(overload)}>
        <span>
          <Badge tone="warn" plain={plain}>
            {state === "unknown" ? "Overloaded" : `${word}, overloaded`}
          </Badge>
        </span>
      </Tooltip>
    );
  return (
    <Tooltip label={means}>
      <span>
        <Badge tone={tone} plain={plain}>
          {word}
        </Badge>
      </span>
    </Tooltip>
  );
}
