import { shortTime } from "../../../ui/format/times";

/** `14:05:12.345` in the person's zone, with the day in front when it is another day than `now`. */
export function lineTime(at: Date | null, now?: Date): string {
  if (!at) return "–";
  return `${shortTime(at, now)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
