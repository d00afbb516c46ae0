import { Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { ago, instant, longTime, shortTime, utcTime } from "./format/times";

function present(): number {
  return Math.floor(Date.now() / 1000);
}

let second = present();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick() {
  second = present();
  if (!document.hidden) for (const listener of listeners) listener();
}

// One timer for all, while anything is shown: everything that says "2 s ago" changes at the same moment.
function subscribe(listener: () => void): () => void {
  if (!listeners.size) {
    second = present();
    timer = setInterval(tick, 1000);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (!listeners.size) clearInterval(timer);
  };
}

function current(): number {
  return listeners.size ? second : present();
}

/** The current second, in epoch milliseconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current, current) * 1000;
}

const HALF_A_MINUTE_MS = 30_000;
const dayWatchers = new Set<() => void>();
let dayTimer: ReturnType<typeof setInterval> | undefined;

function watchDay(listener: () => void): () => void {
  if (!dayWatchers.size)
    dayTimer = setInterval(() => {
      for (const watcher of dayWatchers) watcher();
    }, HALF_A_MINUTE_MS);
  dayWatchers.add(listener);
  return () => {
    dayWatchers.delete(listener);
    if (!dayWatchers.size) clearInterval(dayTimer);
  };
}

function day(): string {
  return new Date().toDateString();
}

/**
 * The day in the person's zone, which changes at midnight: on a page that is open for long, a time of
 * yesterday must not look like one of today.
 */
export function useToday(): string {
  return useSyncExternalStore(watchDay, day, day);
}

/** An instant in the person's zone; UTC on hover. */
export function Time({ at, long = false }: { at: string | Date | null | undefined; long?: boolean }) {
  useToday();
  const when = typeof at === "string" ? instant(at) : (at ?? null);
  if (!when || Number.isNaN(when.getTime())) return <span className="soft">–</span>;
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
