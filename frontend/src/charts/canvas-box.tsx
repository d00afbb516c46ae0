/** A canvas as large as its box, drawn again when its data, size or the theme change. */

import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { readPalette, type Palette } from "./palette";
import classes from "./canvas-box.module.css";

export interface Surface {
  context: CanvasRenderingContext2D;
  /** in CSS pixels */
  width: number;
  height: number;
  palette: Palette;
}

interface CanvasBoxProps {
  /** stable between renders while nothing changed (`useCallback`) */
  draw: (surface: Surface) => void;
  /** what it shows, in words */
  label: string;
  onPointerMove?: (event: PointerEvent<HTMLCanvasElement>) => void;
  onPointerLeave?: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}

export const CANVAS_FONT = '12px "Inter Variable", system-ui, sans-serif';

export function CanvasBox({ draw, label, ...handlers }: CanvasBoxProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme("light");
  useEffect(() => {
    const element = canvas.current;
    const box = element?.parentElement;
    const context = element?.getContext("2d");
    if (!element || !box || !context) return;
    const redraw = () => {
      const { clientWidth: width, clientHeight: height } = box;
      const ratio = window.devicePixelRatio;
      if (element.width !== Math.round(width * ratio)) element.width = Math.round(width * ratio);
      if (element.height !== Math.round(height * ratio)) element.height = Math.round(height * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      context.font = CANVAS_FONT;
      if (width && height) draw({ context, width, height, palette: readPalette() });
    };
    redraw();
    const watcher = new ResizeObserver(redraw);
    watcher.observe(box);
    return () => {
      watcher.disconnect();
    };
  }, [draw, scheme]);
  return (
    <div className={classes["box"]}>
      <canvas ref={canvas} role="img" aria-label={label} {...handlers} />
    </div>
  );
}
