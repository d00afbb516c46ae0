import type { ConsumerGroup } from "../../api/types";
import { Badge } from "../../ui/status";
import { useNow } from "../../ui/time";
import { healthNote, HEALTH } from "./health";
import classes from "./consumers.module.css";

type Judged = Parameters<typeof healthNote>[0] & Pick<ConsumerGroup, "health">;

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
      {note && <div className={`${classes["sub"] ?? ""} ${classes["healthNote"] ?? ""}`}>{note}</div>}
    </span>
  );
}
