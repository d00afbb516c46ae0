import { useContext } from "react";
import { useAlertsSeen } from "../../api/alerts";
import { AlertsContext } from "../../api/live";
import { unread } from "./unread";
import classes from "./shell.module.css";

/** How many alerts fired since the person last looked; nothing where none did. */
export function UnreadAlerts() {
  const frame = useContext(AlertsContext);
  const seen = useAlertsSeen();
  if (!frame || !seen.data) return null;
  const found = unread(frame, seen.data.seen_at);
  if (!found.count) return null;
  return (
    <span className={classes["unread"]} data-severity={found.severity}>
      {found.count > 99 ? "99+" : found.count}
      <span className="visually-hidden"> unread</span>
    </span>
  );
}
