import { useMemo } from "react";
import { keyLabel } from "../../../charts/windows";
import type { CachedRow } from "../../../live/result-store";
import type { RowShape } from "./row-shape";

/**
 * The distinct keys, in order. The list stays the same object until a key is added or removed, so that its
 * readers aren’t rendered with each change of a row.
 */
export function useLabels(rows: readonly CachedRow[], shape: RowShape): readonly string[] {
  const joined = useMemo(() => {
    if (!shape.windowed) return "[]";
    const fields = shape.keys.map(({ name }) => name);
    return JSON.stringify([...new Set(rows.map(({ value }) => keyLabel(value, fields)))].sort());
  }, [rows, shape]);
  return useMemo(() => JSON.parse(joined) as string[], [joined]);
}
