/** The ways to look at one record. Texts only: nothing of a record becomes HTML. No React. */

import type { RecordDetail } from "../../api/types";
import { hexLines } from "./hex";

export interface View {
  name: "row" | "value" | "text" | "bytes";
  label: string;
  text: string;
  /** what is copied, where that is not what is shown */
  copy?: string;
  note?: string;
}

/** The ways in which a record can be shown, the most telling first. */
export function viewsOf(record: RecordDetail): View[] {
  const views: View[] = [];
  if (record.row_json !== null)
    views.push({ name: "row", label: "Row", text: record.row_json, note: "Decoded by the contract." });
  if (record.value_json !== null)
    views.push({
      name: "value",
      label: "Full value",
      text: record.value_json,
      note: record.value_is_text
        ? "The value as JSON, including fields that aren't in the contract."
        : "All fields of the schema, including those that aren't in the contract.",
    });
  if (record.value === null) views.push({ name: "text", label: "Value", text: "null (a tombstone)" });
  else if (record.value_is_text) views.push({ name: "text", label: "Raw text", text: record.value });
  views.push({
    name: "bytes",
    label: "Bytes",
    text: bytesOf(record),
    copy: record.value_base64 ?? "",
    note: "Key and value. Copies the value as base64.",
  });
  return views;
}

function bytesOf({ key_base64, value_base64 }: RecordDetail): string {
  const key = key_base64 === null ? "key: null" : `key\n${hexLines(key_base64)}`;
  const value = value_base64 === null ? "value: null (a tombstone)" : `value\n${hexLines(value_base64)}`;
  return `${key}\n\n${value}`;
}

/** A key as people read it: its decoded fields where it has some, its text, or its bytes. */
export function keyShown({
  key,
  key_is_text,
  key_json,
  key_base64,
}: Pick<RecordDetail, "key" | "key_is_text" | "key_json" | "key_base64">): { text: string; note: string } {
  if (key === null) return { text: "null", note: "" };
  if (key_json !== null)
    return { text: key_json, note: key_is_text ? "" : `decoded; bytes as base64: ${key_base64 ?? ""}` };
  return key_is_text ? { text: key, note: "" } : { text: hexLines(key), note: `bytes; as base64: ${key}` };
}

/** A key in one line of a list. */
export function keyLine({
  key,
  key_is_text,
  key_fields,
}: {
  key: string | null;
  key_is_text: boolean;
  key_fields?: Readonly<Record<string, unknown>> | null;
}): string | null {
  if (key === null) return null;
  if (key_is_text) return key;
  return key_fields
    ? Object.values(key_fields)
        .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
        .join(", ")
    : "bytes";
}
