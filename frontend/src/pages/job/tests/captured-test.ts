/** A test of records as they are in Kafka, in batches as a job would have read them. No React. */

import { stringify } from "yaml";
import { ownValue } from "../../../api/own-value";

export interface LiveRecord {
  timestamp: string;
  key: string | null;
  key_is_text: boolean;
  value: string | null;
  value_is_text: boolean;
  truncated: boolean;
}

type BySource = Readonly<Record<string, readonly LiveRecord[]>>;

/** Most batches of a captured test; with more, a batch is longer. */
export const MOST_BATCHES = 50;

export interface CapturedTest {
  text: string;
  batches: number;
  /** how much arrival one batch holds, ms; more than asked for where there would be too many batches */
  everyMs: number;
}

/**
 * The document; null where no record is complete. Records whose bytes are no text are left out.
 *
 * @param everyMs records that arrived within it are read in one batch, as by a job of this trigger
 */
export function capturedTest(name: string, found: BySource, everyMs: number): CapturedTest | null {
  const arrived = Object.entries(found)
    .flatMap(([source, records]) => records.filter(isComplete).map((record) => ({ source, record })))
    .sort((a, b) => a.record.timestamp.localeCompare(b.record.timestamp));
  const [first] = arrived;
  const last = arrived.at(-1);
  if (!first || !last) return null;
  const begin = Date.parse(first.record.timestamp);
  const length = everyThat(everyMs, Date.parse(last.record.timestamp) - begin);
  const batches = new Map<number, Map<string, unknown[]>>();
  for (const { source, record } of arrived) {
    const at = Math.floor((Date.parse(record.timestamp) - begin) / length);
    const batch = batches.get(at) ?? new Map<string, unknown[]>();
    batches.set(at, batch);
    batch.set(source, [...(batch.get(source) ?? []), recordOf(record)]);
  }
  const text = stringify(
    {
      format: 1,
      name,
      start: first.record.timestamp,
      batches: [...batches.values()].map((records) => ({ records })),
    },
    { lineWidth: 0 },
  );
  return { text, batches: batches.size, everyMs: length };
}

/**
 * Records from a time on, up to the moment where the first source ends that has more: behind it others would
 * be read without it, as no job reads them.
 *
 * @param limits by source, how many records were asked for
 */
export function untilFirstEnd(found: BySource, limits: Readonly<Record<string, number>>): BySource {
  const ends = Object.entries(found)
    .filter(([source, records]) => records.length > 0 && records.length >= (ownValue(limits, source) ?? 0))
    .map(
      ([, records]) =>
        records
          .map(({ timestamp }) => timestamp)
          .sort()
          .at(-1) ?? "",
    );
  const [end] = ends.sort();
  if (end === undefined) return found;
  return Object.fromEntries(
    Object.entries(found).map(([source, records]) => [
      source,
      records.filter(({ timestamp }) => timestamp <= end),
    ]),
  );
}

function everyThat(everyMs: number, spanMs: number): number {
  const every = Math.max(1, everyMs);
  return spanMs / every < MOST_BATCHES ? every : Math.ceil((spanMs + 1) / MOST_BATCHES);
}

function recordOf({ timestamp, key, value }: LiveRecord): Record<string, unknown> {
  return { arrives: timestamp, ...(key !== null && { key }), value };
}

function isComplete(record: LiveRecord): boolean {
  return (
    !record.truncated &&
    (record.key === null || record.key_is_text) &&
    (record.value === null || record.value_is_text)
  );
}
