import type { JobTestSummary } from "../../../api/types";
import { Badge, type Tone } from "../../../ui/status";

type State = JobTestSummary["state"];

const STATES: Readonly<Record<State, { word: string; tone: Tone }>> = {
  passed: { word: "Passed", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  error: { word: "Couldn't run", tone: "bad" },
  outdated: { word: "Outdated", tone: "warn" },
  not_run: { word: "Not run", tone: "idle" },
};

/** How a test stands with a version. */
export function TestState({ state }: { state: State }) {
  const { word, tone } = STATES[state];
  return (
    <Badge tone={tone} plain>
      {word}
    </Badge>
  );
}
