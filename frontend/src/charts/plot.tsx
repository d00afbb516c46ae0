/** uPlot as a component: made anew when its options or the theme change, redrawn when only data changes. */

import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { readPalette, type Palette } from "./palette";
import classes from "./plot.module.css";

/** Stable between renders (`useMemo`, `useCallback`): a new function makes a new chart. */
export type PlotOptions = (palette: Palette) => Omit<uPlot.Options, "width" | "height">;

interface PlotProps {
  options: PlotOptions;
  data: uPlot.AlignedData;
  height: number;
  /** index that the legend shows while the pointer is outside the chart; the last one by default */
  rest?: number;
  /** what the chart shows, in words, for who cannot see it */
  label: string;
}

export function Plot({ options, data, height, label, rest }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const newest = useRef(data);
  const resting = useRef(0);
  const scheme = useComputedColorScheme("light");

  useEffect(() => {
    newest.current = data;
    resting.current = rest ?? data[0].length - 1;
    const drawn = plot.current;
    if (!drawn) return;
    drawn.setData(data);
    if (!pointed(drawn)) drawn.setLegend({ idx: resting.current }, false);
  }, [data, rest]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot(
      {
        ...options(readPalette()),
        padding: [10, 22, 0, 0],
        width: Math.max(200, element.clientWidth),
        height,
      },
      newest.current,
      element,
    );
    plot.current = made;
    const rested = () => {
      if (!pointed(made)) made.setLegend({ idx: resting.current }, false);
    };
    made.hooks.setCursor = [...(made.hooks.setCursor ?? []), rested];
    rested();
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth && element.clientWidth !== made.width)
        made.setSize({ width: element.clientWidth, height });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [options, height, scheme]);

  return <div ref={box} className={classes["plot"]} role="img" aria-label={label} />;
}

function pointed(plot: uPlot): boolean {
  return plot.cursor.idx !== null && plot.cursor.idx !== undefined && (plot.cursor.left ?? -1) >= 0;
}
