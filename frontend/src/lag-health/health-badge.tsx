import { Badge } from "../ui/status";
import { useNow } from "../ui/time";
import { healthNote, HEALTH, type Judged } from "./health";
import classes from "./health.module.css";

/** A health, and what it says beside its word. */
export function HealthBadge({ judged, plain = true }: { judged: Judged; plain?: boolean }) {
  const now = useNow();
  const { word, tone, means } = HEALTH[judged.health];
  const note = healthNote(judged, now);
  return (
    <span title={means}>
      <Badge tone={tone} plain={plain}>
        {word}
      </Badge>
      {note && <div className={classes["note"]}>{note}</div>}
    </span>
  );
}
