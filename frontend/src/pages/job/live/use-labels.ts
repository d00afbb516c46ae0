import { useMemo } from "react";
import { keyLabel } from "../../../charts/windows";
import type { CachedRow } from "../../../live/result-store";
import type { RowShape } from "./row-shape";

/** The keys that occur, in order. The same list as long as no key comes or goes, so that what shows it is not drawn ten times a second. */
export function useLabels(rows: readonly CachedRow[], shape: RowShape): readonly string[] {
  const joined = useMemo(() => {
    if (!shape.windowed) return "";
    const fields = shape.keys.map(({ name }) => name);
    return [...new Set(rows.map(({ value }) => keyLabel(value, fields)))].sort().join("\n");
  }, [rows, shape]);
  return useMemo(() => (joined ? joined.split("\n") : []), [joined]);
}
