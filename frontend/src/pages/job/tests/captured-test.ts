/** A test of records as they are in Kafka. No React. */

import { stringify } from "yaml";

export interface LiveRecord {
  timestamp: string;
  key: string | null;
  key_is_text: boolean;
  value: string | null;
  value_is_text: boolean;
  truncated: boolean;
}

/** The document; null where no record is complete. Records whose bytes are no text are left out. */
export function capturedTest(
  name: string,
  found: Readonly<Record<string, readonly LiveRecord[]>>,
): string | null {
  const complete = Object.entries(found)
    .map(([source, records]) => [source, records.filter(isComplete)] as const)
    .filter(([, records]) => records.length);
  const moments = complete.flatMap(([, records]) => records.map(({ timestamp }) => timestamp)).sort();
  if (!moments.length) return null;
  const sent = complete.map(([source, records]) => [
    source,
    [...records]
      .sort((a, b) => a.timestamp.localeCompare(b.timestamp))
      .map(({ timestamp, key, value }) => ({ arrives: timestamp, ...(key !== null && { key }), value })),
  ]);
  return stringify(
    {
      format: 1,
      name,
      start: moments[0],
      batches: [{ records: Object.fromEntries(sent) as Record<string, unknown> }],
    },
    { lineWidth: 0 },
  );
}

function isComplete(record: LiveRecord): boolean {
  return (
    !record.truncated &&
    (record.key === null || record.key_is_text) &&
    (record.value === null || record.value_is_text)
  );
}
