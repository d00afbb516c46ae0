import { Button } from "@mantine/core";
import { useEffect, type ReactNode } from "react";
import { useConnection, useSocket } from "../../api/live";
import { useSession } from "../../api/session";
import type { ConnectionState } from "../../live/socket";
import { duration } from "../format/durations";
import { Badge } from "../status";
import { useNow } from "../time";
import classes from "./shell.module.css";

interface Ended {
  title: string;
  text: string;
  /** loads the page anew */
  verb: string;
}

/** Why a connection ended that doesn't come back by itself. */
const ENDED: Readonly<Partial<Record<ConnectionState, Ended>>> = {
  signed_out: {
    title: "You're signed out",
    text: "Live updates have stopped. Your session ended or your password changed.",
    verb: "Sign in again",
  },
  role_lost: {
    title: "Your role in this workspace changed",
    text: "Live updates have stopped. Reload to see what you can still open.",
    verb: "Reload",
  },
  refused: {
    title: "Live updates have stopped",
    text: "The server rejected a request from this page. Reload the page.",
    verb: "Reload",
  },
};

/** Told only where a loss lasts: what is on the page may be old. */
export function ConnectionBanner() {
  const { state, since, visible } = useConnection();
  const socket = useSocket();
  useAskedSession(state === "signed_out");
  const ended = ENDED[state];
  if (ended)
    return (
      <Banner title={ended.title} text={ended.text}>
        <Button
          variant="default"
          onClick={() => {
            window.location.reload();
          }}
        >
          {ended.verb}
        </Button>
      </Banner>
    );
  const retry = (
    <Button
      variant="default"
      onClick={() => {
        socket.retry();
      }}
    >
      Reconnect now
    </Button>
  );
  if (state === "too_many")
    return (
      <Banner
        title="Too many live connections"
        text="Live updates have stopped here. Close other tabs of Weir; this one reconnects by itself."
      >
        {retry}
      </Banner>
    );
  if (state !== "lost" || !visible) return null;
  return (
    <Banner title="Connection lost" text="Jobs keep running. Data may be out of date. Reconnecting…">
      <LostFor since={since} />
      {retry}
    </Banner>
  );
}

/** The words are read out once; what counts on beside them is not. */
export function Banner({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className={classes["banner"]}>
      <span role="alert">
        <Badge tone="warn" plain>
          {title}
        </Badge>{" "}
        {text}
      </span>
      {children}
    </div>
  );
}

function LostFor({ since }: { since: number }) {
  const now = useNow();
  return <span className="soft">Lost {duration(Math.max(1000, now - since))} ago</span>;
}

/** Whoever comes back to the page may have signed in elsewhere meanwhile. */
function useAskedSession(isSignedOut: boolean) {
  const { refetch } = useSession();
  useEffect(() => {
    if (!isSignedOut) return;
    const ask = () => {
      if (!document.hidden) void refetch();
    };
    window.addEventListener("focus", ask);
    document.addEventListener("visibilitychange", ask);
    return () => {
      window.removeEventListener("focus", ask);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [isSignedOut, refetch]);
}
