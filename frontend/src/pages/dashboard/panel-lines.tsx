/** What stands under the drawing of a panel: what it leaves out, and why it may be old. */

import type { FieldFilter, Panel } from "../../api/types";
import { OnlyNewest } from "../../charts/only-newest";
import type { ResultView } from "../../live/result-store";
import { Badge } from "../../ui/status";
import { Time } from "../../ui/time";
import { staleOf } from "./panel-notice";
import classes from "./panel.module.css";

/** How much a drawing leaves out. Of a truncated result it is not known how much more that is. */
export function RestLine({ text, truncated }: { text: string; truncated: boolean }) {
  return <p className={classes["more"]}>{truncated ? `At least ${text}` : text}</p>;
}

/** Whether a panel needs the newest rows only: it lists them, and no filter leaves any of them out. */
function listsNewest(panel: Panel, shared: readonly FieldFilter[]): boolean {
  return panel.kind === "table" && panel.order_by === null && !panel.filters.length && !shared.length;
}

interface LimitLineProps {
  panel: Panel;
  shared: readonly FieldFilter[];
  view: Pick<ResultView, "rows" | "total" | "totalIs" | "truncated">;
}

/** The page computes what a panel shows, and keeps the newest rows only: says so where there are more. */
export function LimitLine({ panel, shared, view }: LimitLineProps) {
  if (!view.truncated || listsNewest(panel, shared)) return null;
  return (
    <p className={classes["limit"]}>
      <OnlyNewest rows={view.rows.length} of={view} />
    </p>
  );
}

/** Rows are shown, but no newer ones come: says so under them, and since when. */
export function StaleLine({ view }: { view: ResultView }) {
  const stale = staleOf(view);
  if (!stale) return null;
  const seen = view.status?.last_seen_us ?? null;
  return (
    <p className={classes["stale"]} title={view.error ?? undefined}>
      <Badge tone={stale.tone} plain>
        {stale.word}
      </Badge>
      {seen !== null && (
        <span className="soft">
          , last seen <Time at={new Date(seen / 1000)} />
        </span>
      )}
    </p>
  );
}
