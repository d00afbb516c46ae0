import type { Engine } from "../api/types";
import { Mark, type Tone } from "./status";

const TONES: Readonly<Record<string, Tone>> = { ready: "good", failed: "bad", lost: "bad", stopped: "idle" };

/** What is known of an engine: its state in a word. */
export function EngineMark({ engine }: { engine: Pick<Engine, "state"> }) {
  const word = engine.state.replaceAll("_", " ");
  return <Mark tone={TONES[engine.state] ?? "warn"} plain>{word.charAt(0).toUpperCase() + word.slice(1)}</Mark>;
}
