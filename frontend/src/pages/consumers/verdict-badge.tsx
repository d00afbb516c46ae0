import type { ConsumerGroup } from "../../api/types";
import { Badge } from "../../ui/status";
import { useNow } from "../../ui/time";
import { verdictNote, VERDICTS } from "./verdict";
import classes from "./consumers.module.css";

type Judged = Parameters<typeof verdictNote>[0] & Pick<ConsumerGroup, "verdict">;

/** A verdict, and what it says beside its word. */
export function VerdictBadge({ judged, plain = true }: { judged: Judged; plain?: boolean }) {
  const now = useNow();
  const { word, tone, means } = VERDICTS[judged.verdict];
  const note = verdictNote(judged, now);
  return (
    <span title={means}>
      <Badge tone={tone} plain={plain}>
        {word}
      </Badge>
      {note && <div className={classes["sub"]}>{note}</div>}
    </span>
  );
}
