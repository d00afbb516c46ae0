import { Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { ago, instant, longTime, shortTime, utcTime } from "./format/times";

let second = Math.floor(Date.now() / 1000);
const listeners = new Set<() => void>();

// One timer for all: everything that says "2 s ago" changes at the same moment.
setInterval(() => {
  second = Math.floor(Date.now() / 1000);
  if (!document.hidden) for (const listener of listeners) listener();
}, 1000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The current second, in epoch milliseconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => second) * 1000;
}

/** An instant in the person's zone; UTC on hover. */
export function Time({ at, long = false }: { at: string | Date | null | undefined; long?: boolean }) {
  const when = typeof at === "string" ? instant(at) : (at ?? null);
  if (!when) return <span className="soft">–</span>;
  return (
    <Tooltip label={utcTime(when)}>
      <time dateTime={when.toISOString()} className="nowrap">
        {long ? longTime(when) : shortTime(when)}
      </time>
    </Tooltip>
  );
}

/** `2 s ago`, counting on by itself; the instant and UTC on hover. */
export function Ago({ at, never = "never" }: { at: string | null | undefined; never?: string }) {
  const now = useNow();
  const when = instant(at);
  if (!when) return <span>{never}</span>;
  return (
    <Tooltip label={`${longTime(when)} · ${utcTime(when)}`}>
      <time dateTime={when.toISOString()} className="nowrap">
        {ago(when, now + 999)}
      </time>
    </Tooltip>
  );
}
