/** Places of a diagnosis in words. No React. */

import type { CheckedPlace } from "../../../api/types";

type Place = CheckedPlace["place"];
type Status = CheckedPlace["status"];

const KINDS: Readonly<Record<Place["kind"], string>> = {
  run: "Run",
  source: "Source",
  step: "Step",
  output: "Output",
};

/** `Step big`, `Output`. */
export function placeText({ kind, name }: Place): string {
  return name ? `${KINDS[kind]} ${name}` : KINDS[kind];
}

const STATUSES: Readonly<Record<Status, string>> = {
  ok: "OK",
  cause: "Cause",
  unknown: "Unknown",
  not_checked: "Not checked",
};

export function statusText(status: Status): string {
  return STATUSES[status];
}
