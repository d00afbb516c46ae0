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
  /** in px; fill: that of the box around it */
  height: number | "fill";
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
        padding: [10, 30, 0, 0],
        width: Math.max(MIN_WIDTH, element.clientWidth),
        height: heightOf(element, height, null),
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
    const fit = () => {
      const size = { width: element.clientWidth, height: heightOf(element, height, made) };
      if (size.width && (size.width !== made.width || size.height !== made.height)) made.setSize(size);
    };
    fit(); // the legend has its height only now
    const watcher = new ResizeObserver(fit);
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [options, height, scheme]);

  return (
    <div
      ref={box}
      className={classes["plot"]}
      data-fill={height === "fill" || undefined}
      role="img"
      aria-label={label}
    />
  );
}

const MIN_WIDTH = 120;
const MIN_HEIGHT = 60;

/** The height of the drawing: what is left of the box without the legend. */
function heightOf(element: HTMLElement, height: number | "fill", plot: uPlot | null): number {
  if (height !== "fill") return height;
  const legend = plot?.root.querySelector<HTMLElement>(".u-legend");
  // A legend that scrolls has to be reachable with the keyboard.
  if (legend) legend.tabIndex = legend.scrollHeight > legend.clientHeight ? 0 : -1;
  return Math.max(MIN_HEIGHT, element.clientHeight - (legend?.offsetHeight ?? 0));
}

function pointed(plot: uPlot): boolean {
  return plot.cursor.idx !== null && plot.cursor.idx !== undefined && (plot.cursor.left ?? -1) >= 0;
}
