import { useDocumentTitle } from "@mantine/hooks";
import { useCallback, useEffect, useState } from "react";
import { useConnection, useOpenSocket, SocketContext } from "../../api/live";
import { ApiError } from "../../api/client";
import { openSharedSocket, useSharedDashboard } from "../../api/shared-dashboard";
import { SharedResultsContext, useResultSharing } from "../../api/shared-results";
import type { SharedDashboard } from "../../api/types";
import { zoneId } from "../../ui/format/times";
import { Empty, LoadError, Loading } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Time } from "../../ui/time";
import { FilterBar } from "../dashboard/filter-bar";
import { useLinkView } from "../dashboard/use-view";
import { ViewGrid } from "../dashboard/view-grid";
import classes from "../dashboard/dashboard.module.css";

/** A dashboard that a link opens: without navigation, and without an account. */
export default function SharedPage() {
  const [token, setToken] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    const read = () => {
      setToken(window.location.hash.slice(1));
    };
    window.addEventListener("hashchange", read);
    return () => {
      window.removeEventListener("hashchange", read);
    };
  }, []);
  return token ? <OneLink key={token} token={token} /> : <Ended />;
}

function OneLink({ token }: { token: string }) {
  const query = useSharedDashboard(token);
  if (query.error instanceof ApiError && query.error.status === 404) return <Ended />;
  if (query.data) return <Live token={token} dashboard={query.data} reload={query.refetch} />;
  if (query.error)
    return (
      <LoadError
        title="Couldn't load the dashboard"
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  return <Loading title="Loading dashboard…" />;
}

function Ended() {
  useDocumentTitle("Link not available · Weir");
  return (
    <main>
      <Empty main title="Link not available">
        This link has expired or was revoked. Ask for a new one.
      </Empty>
    </main>
  );
}

interface LiveProps {
  token: string;
  dashboard: SharedDashboard;
  reload: () => unknown;
}

function Live({ token, ...rest }: LiveProps) {
  const [socket] = useState(() => openSharedSocket(token));
  useOpenSocket(socket);
  const retry = useCallback(() => {
    socket.retry();
  }, [socket]);
  return (
    <SocketContext value={socket}>
      <Board {...rest} retry={retry} />
    </SocketContext>
  );
}

interface BoardProps extends Omit<LiveProps, "token"> {
  retry: () => void;
}

const RELOAD_MS = 1_000;

function Board({ dashboard, reload, retry }: BoardProps) {
  const results = useResultSharing("");
  const [view, setView] = useLinkView(dashboard.document);
  const { state, visible } = useConnection();
  useDocumentTitle(`${dashboard.name} · Weir`);
  useEffect(() => {
    if (state !== "role_lost" && state !== "signed_out") return;
    // A panel was removed, or the link ended: what is left says the dashboard itself.
    reload();
    const timer = setTimeout(retry, RELOAD_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [state, reload, retry]);
  return (
    <SharedResultsContext value={results}>
      <main id="main" className={classes["kiosk"]} tabIndex={-1}>
        <header className={classes["kioskHead"]}>
          <h1>{dashboard.name}</h1>
          {visible && (
            <span role="alert">
              <Badge tone="warn" plain>
                {state === "too_many"
                  ? "This link is open too often. Retrying…"
                  : "Connection lost. Reconnecting…"}
              </Badge>
            </span>
          )}
          <span className={classes["zone"]}>
            Read-only link, expires <Time at={dashboard.expires_at} />
          </span>
        </header>
        {dashboard.document.panels.length ? (
          <>
            <FilterBar document={dashboard.document} view={view} onChange={setView} />
            <ViewGrid document={dashboard.document} view={view} />
          </>
        ) : (
          <Empty title="No panels yet">Times in {zoneId()}</Empty>
        )}
      </main>
    </SharedResultsContext>
  );
}
