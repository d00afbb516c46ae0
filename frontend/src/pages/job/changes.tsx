import type { Change } from "../../api/types";
import { Badge } from "../../ui/status";
import classes from "./changes.module.css";

/** What differs, in words; whether the state can go on. */
export function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <ul className={classes["changes"]}>
      {changes.map(({ sentence, breaks_state }) => (
        <li key={sentence}>
          {sentence}{" "}
          {breaks_state && (
            <Badge tone="warn" plain>
              resets state
            </Badge>
          )}
        </li>
      ))}
    </ul>
  );
}
