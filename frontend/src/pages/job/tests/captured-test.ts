/** A test of records as they are in Kafka, in batches as a job would have read them. No React. */

import { Scalar, stringify } from "yaml";
import { ownValue } from "../../../api/own-value";

export interface LiveRecord {
  partition: number;
  offset: number;
  timestamp: string;
  key: string | null;
  key_is_text: boolean;
  value: string | null;
  value_is_text: boolean;
  truncated: boolean;
  headers: readonly { name: string; value: string | null }[];
  malformed: { field: string } | null;
}

type BySource = Readonly<Record<string, readonly LiveRecord[]>>;

interface CapturedBatch {
  heartbeats: Map<string, string>;
  records: Map<string, unknown[]>;
}

/** Its record only says how late it is in its source. */
const HEARTBEAT = "weir-heartbeat";

/** Most batches of a captured test; with more, a batch is longer. */
export const MOST_BATCHES = 50;

export interface CapturedTest {
  text: string;
  batches: number;
  /** how much arrival one batch holds, ms; more than asked for where there would be too many batches */
  everyMs: number;
}

/**
 * The document; null where no record is complete. Records whose bytes are no text are left out, as are
 * heartbeats without a valid time, since a test cannot say them. Of the heartbeats of a source in one batch
 * the latest counts.
 *
 * @param everyMs records that arrived within it are read in one batch, as by a job of this trigger
 */
export function capturedTest(name: string, found: BySource, everyMs: number): CapturedTest | null {
  const arrived = Object.entries(found)
    .flatMap(([source, records]) =>
      inPartitions(records.filter(isComplete)).map((one) => ({ source, ...one })),
    )
    .sort((a, b) => a.arrival.localeCompare(b.arrival));
  const [first] = arrived;
  const last = arrived.at(-1);
  if (!first || !last) return null;
  const begin = Date.parse(first.arrival);
  const length = everyThat(everyMs, Date.parse(last.arrival) - begin);
  const batches = new Map<number, CapturedBatch>();
  for (const { source, record, arrival } of arrived) {
    const at = Math.floor((Date.parse(arrival) - begin) / length);
    const batch: CapturedBatch = batches.get(at) ?? { heartbeats: new Map(), records: new Map() };
    batches.set(at, batch);
    const said = saidTime(record);
    if (said === null) {
      batch.records.set(source, [...(batch.records.get(source) ?? []), recordOf(record)]);
    } else {
      batch.heartbeats.set(source, later(batch.heartbeats.get(source) ?? said, said));
    }
  }
  const text = stringify(
    {
      format: 1,
      name,
      start: arrived.map(({ record }) => record.timestamp).sort()[0],
      batches: [...batches.values()].map(({ heartbeats, records }) => ({
        ...(heartbeats.size > 0 && { heartbeats }),
        ...(records.size > 0 && { records }),
      })),
    },
    { lineWidth: 0 },
  ).replace(NOT_PRINTABLE, escaped);
  return { text, batches: batches.size, everyMs: length };
}

/**
 * Records from a time on, up to the moment where the first source ends that has more: behind it others would
 * be read without it, as no job reads them.
 *
 * @param more by source, whether it has more records than were read
 */
export function untilFirstEnd(found: BySource, more: Readonly<Record<string, boolean>>): BySource {
  const ends = Object.entries(found)
    .filter(([source, records]) => records.length > 0 && ownValue(more, source))
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

/**
 * Partition by partition in the order of offsets, which a sort by arrival keeps: a producer may write times
 * that go back, and many records in one millisecond.
 */
function inPartitions(records: readonly LiveRecord[]): { record: LiveRecord; arrival: string }[] {
  const arrivals = new Map<number, string>();
  return [...records]
    .sort((a, b) => a.partition - b.partition || a.offset - b.offset)
    .map((record) => {
      const before = arrivals.get(record.partition) ?? "";
      const arrival = record.timestamp > before ? record.timestamp : before;
      arrivals.set(record.partition, arrival);
      return { record, arrival };
    });
}

function everyThat(everyMs: number, spanMs: number): number {
  const every = Math.max(1, everyMs);
  return spanMs / every < MOST_BATCHES ? every : Math.ceil((spanMs + 1) / MOST_BATCHES);
}

function recordOf({ timestamp, key, value }: LiveRecord): Record<string, unknown> {
  return { arrives: timestamp, ...(key !== null && { key: scalarOf(key) }), value: scalarOf(value) };
}

/** What YAML 1.1 refuses as it is, or reads as the end of a line. */
const NOT_PRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text that has to be escaped is in double quotes, where escapes are read. */
function scalarOf(text: string | null): string | null | Scalar<string> {
  if (text?.search(NOT_PRINTABLE) !== -1 && text !== null) {
    const scalar = new Scalar(text);
    scalar.type = Scalar.QUOTE_DOUBLE;
    return scalar;
  }
  return text;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The time that a heartbeat says; null for another record. */
function saidTime({ headers }: LiveRecord): string | null {
  return headers.find(({ name }) => name === HEARTBEAT)?.value?.trim() ?? null;
}

/** The later of two ISO texts. */
function later(one: string, other: string): string {
  return epochMs(other) > epochMs(one) ? other : one;
}

/** Texts without an offset are UTC, which `Date.parse` takes for local time where they have a time of day. */
function epochMs(text: string): number {
  return Date.parse(/[T ][\d:.]+$/.test(text) ? `${text}Z` : text);
}

function isComplete(record: LiveRecord): boolean {
  if (saidTime(record) !== null) return record.malformed?.field !== HEARTBEAT;
  return (
    !record.truncated &&
    (record.key === null || record.key_is_text) &&
    (record.value === null || record.value_is_text)
  );
}
