import { useSyncExternalStore } from "react";
import { isStoreFull, onStoreFull } from "../../drafts/browser-store";
import { Badge } from "../status";
import classes from "./shell.module.css";

/** Drafts are kept in the browser: where it has no room, that is said before something is lost. */
export function StorageBanner() {
  const isFull = useSyncExternalStore(onStoreFull, isStoreFull, isStoreFull);
  if (!isFull) return null;
  return (
    <div className={classes["banner"]} role="alert">
      <span>
        <Badge tone="warn" plain>
          Draft not kept
        </Badge>{" "}
        This browser has no room left for it: save before you leave the page, or discard other drafts.
      </span>
    </div>
  );
}
