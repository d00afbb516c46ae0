/** What is known of a row's records, in words. No React. */

import type { RowInputs, RowSource } from "../../../api/types";
import { identityParts } from "../../../live/identity";
import { counted } from "../../../ui/format/numbers";
import { instant, longTime, windowText, writtenInstant } from "../../../ui/format/times";

/** A row by the values of its key: the window first, where it has one; what is no identity, as it is. */
export function rowTitle(names: readonly string[], row: string): string {
  const parts = partsOf(row);
  if (!parts) return row;
  const at = names.indexOf("window_start");
  const hasWindow = at >= 0 && names[at + 1] === "window_end";
  const window = hasWindow ? [windowText(writtenInstant(parts[at]), writtenInstant(parts[at + 1]))] : [];
  const rest = parts.filter((_, index) => !hasWindow || (index !== at && index !== at + 1));
  return [...window, ...rest.map(partText)].join(" · ") || "the only row";
}

/** Null where the text is no identity: it comes from the page's address, where anything may stand. */
function partsOf(row: string): unknown[] | null {
  try {
    return identityParts(row);
  } catch {
    return null;
  }
}

function partText(part: unknown): string {
  const at = writtenInstant(part);
  if (at) return longTime(at);
  return typeof part === "string" ? part : JSON.stringify(part);
}

/** In the person's zone where that loses nothing. */
function boundText(text: string): string {
  const at = instant(text);
  return at && /:\d\d(\.0+)?Z$/.test(text) ? longTime(at) : text;
}

/** How far the records that are shown are those of the row, as a sentence. */
export function claimText({ known, exact, doubts, sources }: RowInputs): string {
  if (!known) return "Unknown: its records can't be followed.";
  if (exact) return "These records, and no others, made this row.";
  if (sources.some(({ state }) => !["read", "not_needed"].includes(state)))
    return "Records of sources that can't be read are missing.";
  if (sources.some(({ expired }) => expired)) return "Kafka no longer keeps all of its records.";
  if (doubts.length) return "The row was made from these records, but maybe not from all of them.";
  return "These are its newest records; older ones were not looked for.";
}

/** What was looked for in a source. */
export function soughtText({ bounds }: RowSource): string {
  return bounds
    .map((one) => {
      if (one.offset !== null) return `partition ${String(one.partition)}, offset ${String(one.offset)}`;
      const equal = Object.entries(one.equal).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      if (one.from !== null) equal.push(`event time from ${boundText(one.from)}`);
      if (one.until !== null) equal.push(`event time before ${boundText(one.until)}`);
      return equal.join(", ") || "any record";
    })
    .join("; or ");
}

/** How far a source was looked through. */
export function scannedText(source: RowSource): string {
  switch (source.state) {
    case "not_needed":
      return "This row has no record of it.";
    case "deleted":
      return "Its topic was deleted.";
    case "recreated":
      return "Its topic was recreated: it no longer has the records that were read.";
    case "unreachable":
    case "failed":
      return `It can't be read now. ${source.detail}`;
    case "read":
      break;
  }
  const parts = [`Looked through ${counted(source.read, "record")}`];
  if (source.expired) parts.push("older ones that may belong to it are no longer in Kafka");
  else if (source.complete) parts.push("all that Kafka has of it");
  else parts.push("older ones were not looked through");
  if (source.unreadable) parts.push(`${counted(source.unreadable, "record")} couldn't be decoded`);
  if (source.is_table) parts.push("compaction may have removed older entries of a key");
  return `${parts.join("; ")}.`;
}
