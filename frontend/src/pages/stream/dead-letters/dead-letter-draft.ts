/** A dead letter as it is edited: its value, key and headers, and what is sent instead. No React. */

import type { Contract, NewRecord, DeadLetterDetail } from "../../../api/types";
import {
  headerOf,
  isStructured,
  isUnused,
  keyOf,
  valueOf,
  type HeaderDraft,
  type RecordDraft,
} from "../produce/record-draft";

type Kept = Pick<
  DeadLetterDetail,
  "value" | "value_is_text" | "value_json" | "key" | "key_is_text" | "key_json" | "headers"
>;

/** Initial draft: JSON where the server encodes the bytes, text where the record is text, else the bytes. */
export function deadLetterDraft(deadLetter: Kept, contract: Contract): RecordDraft {
  const structured = isStructured(contract);
  const headers: HeaderDraft[] = deadLetter.headers.map(({ name, value, value_is_text }) => ({
    name,
    value: value ?? "",
    as: value === null ? "null" : value_is_text ? "text" : "base64",
  }));
  return {
    ...valueDraft(deadLetter, structured),
    ...keyDraft(deadLetter, contract),
    headers,
    partition: null,
  };
}

function valueDraft(
  { value, value_is_text, value_json }: Kept,
  structured: boolean,
): Pick<RecordDraft, "value" | "valueAs"> {
  if (value === null) return { value: "", valueAs: "null" };
  if (structured && value_json !== null) return { value: value_json, valueAs: "json" };
  if (value_is_text) return { value, valueAs: structured ? "json" : "text" };
  return { value, valueAs: "base64" };
}

function keyDraft(
  { key, key_is_text, key_json }: Kept,
  contract: Contract,
): Pick<RecordDraft, "key" | "keyAs"> {
  if (key === null) return { key: "", keyAs: "null" };
  if (key_is_text) return { key, keyAs: "text" };
  return key_json !== null && contract.key?.length
    ? { key: key_json, keyAs: "fields" }
    : { key, keyAs: "base64" };
}

/**
 * True if the format needs encoded bytes and the dead letter holds plain text, which is what is wrong with
 * it.
 */
export function isBare({ value, value_is_text, value_json }: Kept, contract: Contract): boolean {
  return isStructured(contract) && value !== null && value_is_text && value_json === null;
}

/** The record to send. What nobody touched goes byte for byte: writing it anew could change its bytes. */
export function replacement(draft: RecordDraft, deadLetter: Kept, contract: Contract): NewRecord {
  const before = deadLetterDraft(deadLetter, contract);
  const sameValue =
    !isBare(deadLetter, contract) &&
    draft.valueAs === before.valueAs &&
    draft.value === before.value &&
    deadLetter.value !== null;
  const sameKey = draft.keyAs === before.keyAs && draft.key === before.key && deadLetter.key !== null;
  return {
    ...(sameValue
      ? deadLetter.value_is_text
        ? { value: deadLetter.value }
        : { value_base64: deadLetter.value }
      : valueOf(draft)),
    ...(sameKey
      ? deadLetter.key_is_text
        ? { key: deadLetter.key }
        : { key_base64: deadLetter.key }
      : keyOf(draft)),
    headers: draft.headers
      .filter((header) => !isUnused(header) || before.headers.some(isUnused))
      .map(headerOf),
  };
}
