import { Button } from "@mantine/core";
import { useEffect } from "react";
import { useConnection, useSocket } from "../../api/live";
import { useSession } from "../../api/session";
import { duration } from "../format/durations";
import { Badge } from "../status";
import { useNow } from "../time";
import classes from "./shell.module.css";

/** Told only where a loss lasts: what is on the page may be old. */
export function ConnectionBanner() {
  const connection = useConnection();
  const socket = useSocket();
  const now = useNow();
  const { refetch } = useSession();
  const signedOut = connection.state === "signed_out";
  useEffect(() => {
    if (!signedOut) return;
    // Whoever comes back to the page may have signed in elsewhere meanwhile.
    const ask = () => {
      if (!document.hidden) void refetch();
    };
    window.addEventListener("focus", ask);
    document.addEventListener("visibilitychange", ask);
    return () => {
      window.removeEventListener("focus", ask);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [signedOut, refetch]);
  if (connection.state === "signed_out") {
    return (
      <div className={classes["banner"]} role="alert">
        <Badge tone="warn" plain>
          You're signed out
        </Badge>{" "}
        Live updates have stopped. Your session ended or your password changed.
        <Button
          variant="default"
          onClick={() => {
            window.location.reload();
          }}
        >
          Sign in again
        </Button>
      </div>
    );
  }
  if (connection.state === "role_lost") {
    return (
      <div className={classes["banner"]} role="alert">
        <Badge tone="warn" plain>
          Your role in this workspace changed
        </Badge>{" "}
        Live updates have stopped. Reload to see what you can still open.
        <Button
          variant="default"
          onClick={() => {
            window.location.reload();
          }}
        >
          Reload
        </Button>
      </div>
    );
  }
  if (connection.state === "refused") {
    return (
      <div className={classes["banner"]} role="alert">
        <Badge tone="warn" plain>
          Live updates have stopped
        </Badge>{" "}
        The server rejected a request from this page. Reload the page.
        <Button
          variant="default"
          onClick={() => {
            window.location.reload();
          }}
        >
          Reload
        </Button>
      </div>
    );
  }
  if (connection.state !== "lost" || !connection.visible) return null;
  return (
    <div className={classes["banner"]} role="alert">
      <Badge tone="warn" plain>
        Connection lost {duration(Math.max(1000, now - connection.since))} ago
      </Badge>
      Jobs keep running. Data may be out of date. Reconnecting…
      <Button
        variant="default"
        onClick={() => {
          socket.retry();
        }}
      >
        Reconnect now
      </Button>
    </div>
  );
}
