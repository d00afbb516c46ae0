import type { Objective } from "../../../api/types";
import { seconds } from "../../../ui/format/durations";

/** A share as per cent, with as many digits as 99.99% needs; 100% only of all, 0% only of none. */
export function percent(share: number): string {
  const rounded = Number((share * 100).toFixed(2));
  const shown =
    share < 1 && rounded >= 100 ? 99.99 : share > 0 && rounded === 0 ? 0.01 : rounded === 0 ? 0 : rounded;
  return `${String(shown)}%`;
}

export function objectiveText({ kind, output, threshold, target, window_days }: Objective): string {
  const often = `${percent(target)} of ${String(window_days)} d`;
  if (kind === "availability") return `Running, ${often}`;
  if (kind === "freshness") return `Results not older than ${seconds(threshold)}, ${often}`;
  const of = output ? `Output ${output}: late` : "Late";
  return `${of}, malformed and failed rows at most ${percent(threshold ?? 0)}, ${often}`;
}

export function burnText({ fast_burn, slow_burn }: Objective["budget"]): string {
  if (fast_burn === null && slow_burn === null) return "–";
  const text = (rate: number | null) => (rate === null ? "–" : `${rate.toFixed(1)}×`);
  return `${text(fast_burn)} (1 h), ${text(slow_burn)} (6 h)`;
}
