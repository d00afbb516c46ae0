import { Button } from "@mantine/core";
import { useEffect } from "react";
import { useLink, useSocket } from "../../api/live";
import { useSession } from "../../api/session";
import { duration } from "../format/durations";
import { Mark } from "../status";
import { useNow } from "../time";
import classes from "./shell.module.css";

/** Told only where a loss lasts: what is on the page may be old. */
export function LinkBanner() {
  const link = useLink();
  const socket = useSocket();
  const now = useNow();
  const { refetch } = useSession();
  const signedOut = link.state === "signed_out";
  useEffect(() => {
    if (!signedOut) return;
    // Whoever comes back to the page may have signed in elsewhere meanwhile.
    const ask = () => { if (!document.hidden) void refetch(); };
    window.addEventListener("focus", ask);
    document.addEventListener("visibilitychange", ask);
    return () => {
      window.removeEventListener("focus", ask);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [signedOut, refetch]);
  if (link.state === "signed_out") {
    return (
      <div className={classes["banner"]} role="alert">
        <Mark tone="warn" plain>You're signed out</Mark> Live updates have stopped. Your session ended or your password changed.
        <Button variant="default" onClick={() => { window.location.reload(); }}>Sign in again</Button>
      </div>
    );
  }
  if (link.state === "role_lost") {
    return (
      <div className={classes["banner"]} role="alert">
        <Mark tone="warn" plain>Your role in this workspace changed</Mark> Live updates have stopped. Reload to see what you can still open.
        <Button variant="default" onClick={() => { window.location.reload(); }}>Reload</Button>
      </div>
    );
  }
  if (link.state === "refused") {
    return (
      <div className={classes["banner"]} role="alert">
        <Mark tone="warn" plain>Live updates have stopped</Mark> The server refused what this page sent. Reload the page.
        <Button variant="default" onClick={() => { window.location.reload(); }}>Reload</Button>
      </div>
    );
  }
  if (link.state !== "lost" || !link.told) return null;
  return (
    <div className={classes["banner"]} role="alert">
      <Mark tone="warn" plain>Connection lost {duration(Math.max(1000, now - link.since))} ago</Mark>
      Jobs go on running. What you see is the last that arrived; it catches up by itself.
      <Button variant="default" onClick={() => { socket.retry(); }}>Try now</Button>
    </div>
  );
}
