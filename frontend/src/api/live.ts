/** The live channels as hooks. The stores know nothing of React; these only mount them. */

import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { RenderThrottle } from "../live/render-throttle";
import type { AlertsFrame, Frame, LagFrame, StatusFrame } from "../live/frames";
import { LatestStore } from "../live/latest-store";
import { ResultStore } from "../live/result-store";
import { LiveSocket, type ConnectionStatus, type Transport } from "../live/socket";
import type { SubscribeOptions } from "../live/subscription-entry";
import { TailStore } from "../live/tail-store";
import { isCommandNew, pushedNow, type Pushed } from "./freshness";
import { keys, type TopicRef } from "./query-keys";
import { useWorkspace } from "./workspace-context";

export function openSocket(): LiveSocket {
  return new LiveSocket(() => openTransport(liveAddress()));
}

/** Where the WebSocket is. */
export function liveAddress(): string {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${window.location.host}/ws/live`;
}

export function openTransport(address: string): Transport {
  const socket = new WebSocket(address);
  const transport: Transport = {
    send: (text) => {
      socket.send(text);
    },
    close: (code) => {
      socket.close(code);
    },
    onopen: null,
    onmessage: null,
    onclose: null,
  };
  socket.onopen = () => {
    transport.onopen?.();
  };
  socket.onmessage = (event) => {
    transport.onmessage?.(event);
  };
  socket.onclose = (event) => {
    transport.onclose?.(event);
  };
  return transport;
}

/** Holds a socket open while mounted, and looks after it when the network or the person is back. */
export function useOpenSocket(socket: LiveSocket): void {
  useEffect(() => {
    const seen = () => {
      if (!document.hidden) socket.wake();
    };
    socket.retry();
    window.addEventListener("online", socket.wake);
    document.addEventListener("visibilitychange", seen);
    return () => {
      window.removeEventListener("online", socket.wake);
      document.removeEventListener("visibilitychange", seen);
      socket.close();
    };
  }, [socket]);
}

export const SocketContext = createContext<LiveSocket | null>(null);

export function useSocket(): LiveSocket {
  const socket = useContext(SocketContext);
  if (!socket) throw new Error("useSocket outside a session");
  return socket;
}

export function useConnection(): ConnectionStatus {
  const socket = useSocket();
  return useSyncExternalStore(socket.onStatus, socket.getStatus);
}

interface Store {
  throttle: RenderThrottle;
  stop(): void;
}

export function useChannel(
  channel: string | null,
  store: Store,
  apply: (frame: Frame) => void,
  { max_per_second, where }: SubscribeOptions = {},
): void {
  const socket = useSocket();
  const { slug } = useWorkspace();
  useEffect(() => {
    if (!channel) return;
    const subscription = socket.subscribe(channel, slug, apply, {
      ...(max_per_second !== undefined && { max_per_second }),
      ...(where !== undefined && { where }),
    });
    const wake = () => {
      if (!document.hidden) store.throttle.wake();
    };
    document.addEventListener("visibilitychange", wake);
    return () => {
      document.removeEventListener("visibilitychange", wake);
      subscription.close();
      store.stop();
    };
  }, [socket, slug, channel, store, apply, max_per_second, where]);
}

function everySecond(tick: () => void): () => void {
  const timer = setInterval(tick, 1_000);
  return () => {
    clearInterval(timer);
  };
}

/** The results of a job, followed while the component is mounted. Give the component the job's id as key. */
export function useResults(jobId: string) {
  const [store] = useState(() => new ResultStore());
  useChannel(`results/${jobId}`, store, store.apply);
  useEffect(() => everySecond(store.tick), [store]);
  const view = useSyncExternalStore(store.onView, store.getView);
  return { store, view };
}

/**
 * The newest records of a stream or topic. With other options or another contract it begins anew, because a
 * store holds the records of one subscription, which keeps the contract that it began with; the component
 * stays, with what is typed in it.
 */
export function useTail(ref: TopicRef, options: SubscribeOptions) {
  const channel = "stream" in ref ? `tail/${ref.stream}` : `topic/${ref.cluster}/${ref.topic}`;
  const subject = JSON.stringify([ref, options]);
  const [followed, setFollowed] = useState(() => ({ subject, store: new TailStore() }));
  if (followed.subject !== subject) setFollowed({ subject, store: new TailStore() });
  const { store } = followed;
  useChannel(channel, store, store.apply, options);
  useEffect(() => everySecond(store.tick), [store]);
  const tail = useSyncExternalStore(store.onTail, store.getTail);
  return { store, tail };
}

/** The newest lag of a job, or null before the first frame. */
export function useLiveLag(jobId: string): LagFrame | null {
  const [store] = useState(() => new LatestStore<LagFrame>());
  const apply = useMemo(
    () => (frame: Frame) => {
      if (frame.op === "lag") store.put("lag", frame);
    },
    [store],
  );
  useChannel(`lag/${jobId}`, store, apply);
  return useSyncExternalStore(store.onChange, store.get).get("lag") ?? null;
}

export type RunState = StatusFrame & Pushed;

/** The newest state of every run of the workspace, by job id. Mounted once, in the shell. */
export function useRunStates(): ReadonlyMap<string, RunState> {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  const [store] = useState(() => new LatestStore<RunState>());
  const apply = useMemo(
    () => (frame: Frame) => {
      if (frame.op !== "status" || !frame.job_id) return;
      const { desired, ...state } = frame;
      const isKnown = desired !== undefined && !isCommandNew(frame.job_id);
      store.put(frame.job_id, pushedNow(isKnown ? { ...state, desired } : state));
      if (frame.deleted) void client.invalidateQueries({ queryKey: keys.jobs(slug), exact: true });
    },
    [store, client, slug],
  );
  useChannel("runs", store, apply);
  return useSyncExternalStore(store.onChange, store.get);
}

export const RunStatesContext = createContext<ReadonlyMap<string, RunState>>(new Map());

/** What fires in the workspace, or null before the first frame. Mounted once, in the shell. */
export function useAlertsFrame(): AlertsFrame | null {
  const [store] = useState(() => new LatestStore<AlertsFrame>());
  const apply = useMemo(
    () => (frame: Frame) => {
      if (frame.op === "alerts") store.put("alerts", frame);
    },
    [store],
  );
  useChannel("alerts", store, apply);
  return useSyncExternalStore(store.onChange, store.get).get("alerts") ?? null;
}

export const AlertsContext = createContext<AlertsFrame | null>(null);
