import type { Engine } from "../api/types";
import { Badge, type Tone } from "./status";

const TONES: Readonly<Record<string, Tone>> = { ready: "good", failed: "bad", lost: "bad", stopped: "idle" };

/** What is known of an engine: its state in a word. */
export function EngineBadge({ engine }: { engine: Pick<Engine, "state"> }) {
  const word = engine.state.replaceAll("_", " ");
  return (
    <Badge tone={TONES[engine.state] ?? "warn"} plain>
      {word.charAt(0).toUpperCase() + word.slice(1)}
    </Badge>
  );
}
