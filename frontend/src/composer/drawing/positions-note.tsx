import { Button } from "@mantine/core";
import { RequestError } from "../../ui/request-error";
import type { KeptPositions, ShownPositions } from "./use-positions";
import classes from "./drawing.module.css";

interface PositionsNoteProps {
  kept: KeptPositions;
  shown: ShownPositions;
  /** positions of the person's own lie over the job's */
  isOwn?: boolean;
}

/** What there is to say of positions: that they are not saved, that they are gone, whose they are. */
export function PositionsNote({ kept: { failure }, shown: { undoTidy }, isOwn = false }: PositionsNoteProps) {
  if (failure)
    return (
      <div className={classes["note"]}>
        <RequestError what={failure.what} error={failure.error} />
        <Button size="compact-xs" variant="default" onClick={failure.retry}>
          Try again
        </Button>
      </div>
    );
  if (undoTidy)
    return (
      <div className={classes["note"]}>
        <p role="status">All nodes are placed automatically again.</p>
        <Button size="compact-xs" variant="default" onClick={undoTidy}>
          Undo
        </Button>
      </div>
    );
  return isOwn ? (
    <p className={`${classes["note"] ?? ""} soft`}>Nodes you move are moved in this browser only.</p>
  ) : null;
}
