/** The contract and the request of a draft, or what they still lack. No React. */

import type { Contract, NewStream } from "../../api/types";
import { isName } from "../../composer/names";
import { msOf, retentionProblem } from "../topics/retention";
import { pathOf, type DraftField, type StreamDraft } from "./contract-draft";
import { columnsOf, encodingAfter, encodingOf, missingOfEncoding } from "./encoding-draft";
import { fittedTo, timeFieldsOf } from "./event-time-rule";

/** What a draft says every record must be. */
export function contractOf(draft: StreamDraft): Contract {
  return {
    kind: draft.kind,
    encoding: encodingOf(draft.encoding),
    fields: draft.fields.map((field) => declared(draft, field)),
    ...(draft.key.length > 0 && { key: [...draft.key], key_encoding: encodingOf(draft.keyEncoding) }),
    ...(draft.kind === "table" && { version_by: draft.versionBy }),
    event_time: fittedTo(draft.eventTime, draft.fields),
    delay: draft.delay || null,
    max_ahead: draft.maxAhead || null,
  };
}

function declared(draft: StreamDraft, field: DraftField): Contract["fields"][number] {
  const { name, type, nullable } = field;
  const path = pathOf(draft, field);
  return path === undefined || (path.length === 1 && path[0] === name)
    ? { name, type, nullable }
    : { name, type, nullable, path: [...path] };
}

/** The contract that a changed draft means for a stream that is there. */
export function changedContract(contract: Contract, draft: StreamDraft): Contract {
  const changed = contractOf(draft);
  const encoding = encodingAfter(contract.encoding ?? { format: contract.format }, draft.encoding);
  return {
    ...changed,
    encoding,
    ...(draft.key.length > 0 && { key_encoding: encodingAfter(contract.key_encoding, draft.keyEncoding) }),
  };
}

/** The registry's subject by which a stream's values are read; null without one. */
export function subjectOf({ encoding }: Contract): string | null {
  const value = encoding as { subject?: string | null; inner?: { subject?: string | null } } | undefined;
  return value?.subject ?? value?.inner?.subject ?? null;
}

export function requestOf(draft: StreamDraft): NewStream {
  return {
    name: draft.name,
    description: draft.description,
    cluster: draft.cluster,
    topic: draft.topic,
    create: draft.create
      ? {
          partitions: draft.partitions,
          retention_ms: draft.cleanup === "compact" ? null : msOf(draft.retentionHours),
          cleanup: draft.cleanup,
        }
      : null,
    contract: contractOf(draft),
  };
}

/** What is still missing before it can be registered, in words; null when nothing is. */
export function missing(draft: StreamDraft): string | null {
  if (!draft.topic) return "Select a topic.";
  if (!isName(draft.name)) return "Enter a stream name: start with a letter and use letters, digits and _.";
  if (
    draft.create &&
    draft.kind === "table" &&
    draft.versionBy === "event_time" &&
    draft.cleanup !== "delete"
  )
    return (
      "Compaction keeps the last offset, but this table uses event time. " +
      "Set the cleanup policy to Delete."
    );
  if (draft.create && draft.cleanup !== "compact" && retentionProblem(draft.retentionHours))
    return `Retention: ${retentionProblem(draft.retentionHours)}`;
  return missingOfContract(draft);
}

/** What is still missing of the contract alone. */
export function missingOfContract(draft: StreamDraft): string | null {
  const lacking = missingOfEncoding(draft.encoding);
  if (lacking) return lacking;
  if (!draft.fields.length) return "Add at least one field.";
  const names = draft.fields.map(({ name }) => name);
  if (names.some((name) => !isName(name)))
    return "Field names start with a letter and use letters, digits and _.";
  if (new Set(names).size < names.length) return "Two fields have the same name.";
  const unreadable = draft.fields.find((field) => pathOf(draft, field) === undefined);
  if (unreadable)
    return (
      `Invalid source path of ${unreadable.name}: ${unreadable.readFrom}. ` +
      'Use user.id, tags[0], or ["a.b"] for a name with a dot.'
    );
  const ofValue = draft.fields
    .filter(({ name }) => !draft.key.includes(name))
    .map((field) => String(pathOf(draft, field)?.[0]));
  const absent =
    columnsOf(draft.encoding).length > 0 && draft.encoding.format === "csv"
      ? ofValue.find((name) => !columnsOf(draft.encoding).includes(name))
      : undefined;
  if (absent) return `Column ${absent} isn't in the column list.`;
  if (draft.kind === "table" && !draft.key.length)
    return "A table needs key fields. Select them under Key fields.";
  const lackingKey = draft.key.length ? missingOfEncoding(draft.keyEncoding) : null;
  if (lackingKey) return `Key: ${lackingKey}`;
  if (draft.keyEncoding.format === "text" && draft.key.length > 1)
    return "A text key has one field. Use JSON or Avro for several.";
  const { eventTime } = draft;
  if (eventTime.kind === "field" && !eventTime.field) return "Select the event time field.";
  if (eventTime.kind === "corrected" && !(eventTime.device && eventTime.sent))
    return "Select the event timestamp and the send timestamp.";
  if (timeFieldsOf(eventTime).some((name) => !names.includes(name)))
    return "The event time field isn't in the field list.";
  return null;
}
