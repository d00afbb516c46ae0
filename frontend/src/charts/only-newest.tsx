import { totalText } from "../live/total-text";
import type { ResultView } from "../live/result-store";
import { count } from "../ui/format/numbers";
import { Badge } from "../ui/status";

/** What a drawing of a truncated result is made of. */
export function OnlyNewest({ rows, of }: { rows: number; of: Pick<ResultView, "total" | "totalIs"> }) {
  return (
    <>
      <Badge tone="warn" plain>
        Incomplete
      </Badge>
      <span className="soft">
        , only the newest {count(rows)} of {totalText(of)} rows
      </span>
    </>
  );
}
