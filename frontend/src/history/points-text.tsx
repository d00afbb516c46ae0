/** What is said of the points of a history, and of none. */

import type { ReactNode } from "react";
import { seconds } from "../ui/format/durations";
import { counted } from "../ui/format/numbers";
import { Panel } from "../ui/page";
import { Empty } from "../ui/placeholders";
import { comparedText } from "./range";

interface Points {
  at: readonly string[];
  resolution_s: number;
}

interface PointsTextProps {
  points: Points;
  /** those of the range that is compared, if there is one */
  earlier: Pick<Points, "at"> | undefined;
  /** how many minutes earlier that is; 0: nothing is compared */
  ago: number;
}

/** How many there are, and how to read them. */
export function PointsText({ points, earlier, ago }: PointsTextProps) {
  return (
    <p className="soft">
      {counted(points.at.length, "point")}, {seconds(points.resolution_s)} each: the line is the mean, the
      band reaches from the least to the greatest. Drag over a chart to look closer.
      {earlier?.at.length === 0 && ` Nothing was measured ${comparedText(ago)}.`}
    </p>
  );
}

/** A range without points. children: why there may be none. */
export function NothingMeasured({ children }: { children?: ReactNode }) {
  return (
    <Panel>
      <Empty title="Nothing was measured in this range">
        {children} A point is kept every 10 s for an hour, every minute for a day and every 15 min for 30
        days.
      </Empty>
    </Panel>
  );
}
