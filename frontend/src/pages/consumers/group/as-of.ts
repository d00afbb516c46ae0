import type { GroupDetail } from "../../../api/types";

/**
 * Of when the oldest numbers of a group are. Where very many partitions are behind, topics have turns; one
 * that was read to its end has none until something happens in it, and is as of the newest pass.
 */
export function asOf(group: Pick<GroupDetail, "topic_lags">, passedAt: string | null): string | null {
  const behind = group.topic_lags.filter(({ lag_records }) => lag_records);
  return behind.map(({ at }) => at).sort()[0] ?? passedAt;
}
