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
  /** what the chart shows, in words, for who cannot see it */
  label: string;
}

export function Plot({ options, data, height, label }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const newest = useRef(data);
  const scheme = useComputedColorScheme("light");

  useEffect(() => {
    newest.current = data;
    plot.current?.setData(data);
  }, [data]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot({ ...options(readPalette()), width: Math.max(200, element.clientWidth), height }, newest.current, element);
    plot.current = made;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth && element.clientWidth !== made.width) made.setSize({ width: element.clientWidth, height });
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
