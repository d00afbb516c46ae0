/** The live channels as hooks. The stores know nothing of React; these only mount them. */

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { DrawClock } from "../live/clock";
import type { Frame, LagFrame, StatusFrame } from "../live/frames";
import { LatestStore } from "../live/latest";
import { ResultStore } from "../live/results";
import { LiveSocket, type Link, type Wanted, type Wire } from "../live/socket";
import { TailStore } from "../live/tail";
import type { RecordsPlace } from "./keys";
import { useWorkspace } from "./workspace";

export function openSocket(): LiveSocket {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  return new LiveSocket(() => wireTo(`${scheme}://${window.location.host}/ws/live`));
}

function wireTo(address: string): Wire {
  const socket = new WebSocket(address);
  const wire: Wire = {
    send: (text) => { socket.send(text); },
    close: (code) => { socket.close(code); },
    onopen: null,
    onmessage: null,
    onclose: null,
  };
  socket.onopen = () => { wire.onopen?.(); };
  socket.onmessage = (event) => { wire.onmessage?.(event); };
  socket.onclose = (event) => { wire.onclose?.(event); };
  return wire;
}

export const SocketContext = createContext<LiveSocket | null>(null);

export function useSocket(): LiveSocket {
  const socket = useContext(SocketContext);
  if (!socket) throw new Error("useSocket outside a session");
  return socket;
}

export function useLink(): Link {
  const socket = useSocket();
  return useSyncExternalStore(socket.onLink, socket.getLink);
}

interface Store {
  clock: DrawClock;
  stop(): void;
}

function useChannel(channel: string | null, store: Store, apply: (frame: Frame) => void, { rate, where }: Wanted = {}): void {
  const socket = useSocket();
  const { slug } = useWorkspace();
  useEffect(() => {
    if (!channel) return;
    const subscription = socket.subscribe(channel, slug, apply, { ...(rate !== undefined && { rate }), ...(where !== undefined && { where }) });
    const wake = () => {
      if (!document.hidden) store.clock.wake();
    };
    document.addEventListener("visibilitychange", wake);
    return () => {
      document.removeEventListener("visibilitychange", wake);
      subscription.close();
      store.stop();
    };
  }, [socket, slug, channel, store, apply, rate, where]);
}

/** The results of a job, followed while the component is mounted. Give the component the job's id as key. */
export function useResults(jobId: string) {
  const [store] = useState(() => new ResultStore());
  useChannel(`results/${jobId}`, store, store.apply);
  useEffect(() => {
    const timer = setInterval(store.tick, 1_000);
    return () => { clearInterval(timer); };
  }, [store]);
  const picture = useSyncExternalStore(store.onPicture, store.getPicture);
  return { store, picture };
}

/** The newest records of a stream or topic that are wanted. Give the component a key of what is wanted: a store holds the records of one question. */
export function useTail(place: RecordsPlace, wanted: Wanted) {
  const [store] = useState(() => new TailStore());
  useChannel("stream" in place ? `tail/${place.stream}` : `topic/${place.cluster}/${place.topic}`, store, store.apply, wanted);
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

/** The newest state of every run of the workspace, by job id. Mounted once, in the shell. */
export function useRunStates(): ReadonlyMap<string, StatusFrame> {
  const [store] = useState(() => new LatestStore<StatusFrame>());
  const apply = useMemo(
    () => (frame: Frame) => {
      if (frame.op === "status" && frame.job) store.put(frame.job, frame);
    },
    [store],
  );
  useChannel("runs", store, apply);
  return useSyncExternalStore(store.onChange, store.get);
}

export const RunStatesContext = createContext<ReadonlyMap<string, StatusFrame>>(new Map());
