/** Filter and order of the list of groups. No React. */

import type { ListedGroup } from "../../api/types";
import { BY_SEVERITY } from "../../lag-health/health";

export const ORDERS = {
  health: "Worst first",
  lag: "Lag (records)",
  time: "Lag (time)",
  loss: "Time to loss",
  name: "Name",
} as const;
export type Order = keyof typeof ORDERS;

export interface GroupFilter {
  text: string;
  health: string;
  cluster: string;
  mirrors: boolean;
}

/** Groups that match; the text is found in a group's name or in its topics. */
export function filterGroups(groups: readonly ListedGroup[], filter: GroupFilter): ListedGroup[] {
  const wanted = filter.text.trim().toLowerCase();
  return groups.filter(
    ({ name, topics, health, cluster, mirrored_job }) =>
      (filter.mirrors || !mirrored_job) &&
      (!filter.health || health === filter.health) &&
      (!filter.cluster || cluster === filter.cluster) &&
      [name, ...topics].some((one) => one.toLowerCase().includes(wanted)),
  );
}

const most = (value: number | null) => -(value ?? -1);
const least = (value: number | null) => value ?? Number.POSITIVE_INFINITY;

const KEYS: Readonly<Record<Order, (group: ListedGroup) => number>> = {
  health: ({ health }) => BY_SEVERITY.indexOf(health),
  lag: ({ lag_records }) => most(lag_records),
  time: ({ lag_seconds }) => most(lag_seconds),
  loss: ({ loss_s, health }) => (health === "losing" ? -1 : least(loss_s)),
  name: () => 0,
};

/** In an order; equal ones by lag in time rounded to minutes, so that rows don't jump, then by name. */
export function sortGroups(groups: readonly ListedGroup[], order: Order): ListedGroup[] {
  const key = KEYS[order];
  const minutes = ({ lag_seconds }: ListedGroup) => -Math.floor((lag_seconds ?? 0) / 60);
  const second = order === "health" ? minutes : () => 0;
  return [...groups].sort(
    (a, b) => compare(key(a), key(b)) || second(a) - second(b) || a.name.localeCompare(b.name),
  );
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
