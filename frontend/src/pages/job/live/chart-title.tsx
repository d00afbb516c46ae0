import type { RowShape } from "./row-shape";
import { useMeasure } from "./use-measure";

/** What the chart beside the table shows. */
export function ChartTitle({ shape, rows }: { shape: RowShape; rows: number }) {
  const [measure] = useMeasure(shape);
  if (shape.windowed)
    return (
      <>
        {measure?.name} <span className="soft">by window start, event time</span>
      </>
    );
  return rows === 1 ? (
    <>Now</>
  ) : (
    <>
      {measure?.name} <span className="soft">top keys</span>
    </>
  );
}
