/** What a read-only link opens: its dashboard, and a socket for the results of its panels. */

import { useQuery } from "@tanstack/react-query";
import { CLOSE_SIGNED_OUT } from "../live/frames";
import { LiveSocket, type Transport } from "../live/socket";
import { api, ApiError, unwrap } from "./client";
import { liveAddress, openTransport } from "./live";
import { keys } from "./query-keys";

const ABNORMAL = 1006;

export function useSharedDashboard(token: string) {
  return useQuery({
    queryKey: keys.shared(token),
    queryFn: () => unwrap(api.POST("/api/v1/shared-dashboard", { body: { token } })),
    refetchInterval: 30_000,
  });
}

/** A socket that gets a ticket before each connection. A link that ended closes it like a sign-out. */
export function openSharedSocket(token: string): LiveSocket {
  return new LiveSocket(() => ticketTransport(token));
}

function ticketTransport(token: string): Transport {
  let inner: Transport | null = null;
  let closed = false;
  const outer: Transport = {
    send: (text) => inner?.send(text),
    close: (code) => {
      closed = true;
      inner?.close(code);
    },
    onopen: null,
    onmessage: null,
    onclose: null,
  };
  const connect = async () => {
    const { ticket } = await unwrap(api.POST("/api/v1/shared-dashboard/live-ticket", { body: { token } }));
    if (closed) return;
    inner = openTransport(`${liveAddress()}?ticket=${encodeURIComponent(ticket)}`);
    inner.onopen = () => outer.onopen?.();
    inner.onmessage = (event) => outer.onmessage?.(event);
    inner.onclose = (event) => outer.onclose?.(event);
  };
  connect().catch((error: unknown) => {
    const ended = error instanceof ApiError && error.status === 404;
    if (!closed) outer.onclose?.({ code: ended ? CLOSE_SIGNED_OUT : ABNORMAL });
  });
  return outer;
}
