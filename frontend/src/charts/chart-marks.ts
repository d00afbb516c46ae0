import uPlot from "uplot";
import type { Palette } from "./palette";

/** Something that happened at a time, or lasted. */
export interface ChartMark {
  /** epoch seconds */
  at: number;
  /** where it ended; null: it lasted no time */
  to: number | null;
  tone: "accent" | "warn" | "bad" | "idle";
}

/** Draws marks over the lines: a dashed line where something happened, a shade where it lasted. */
export function drawMarks(plot: uPlot, palette: Palette, marks: readonly ChartMark[]): void {
  const { ctx, bbox } = plot;
  const right = bbox.left + bbox.width;
  ctx.save();
  for (const { at, to, tone } of marks) {
    const x = plot.valToPos(at, "x", true);
    const end =
      to === null ? x : Math.min(right, plot.valToPos(Math.min(to, plot.scales["x"]?.max ?? at), "x", true));
    if (x > right || end < bbox.left) continue;
    ctx.strokeStyle = ctx.fillStyle = colorOf(palette, tone);
    if (to !== null) {
      const left = Math.max(x, bbox.left);
      ctx.globalAlpha = 0.12;
      ctx.fillRect(left, bbox.top, Math.max(uPlot.pxRatio, end - left), bbox.height);
      ctx.globalAlpha = 1;
    }
    if (x < bbox.left) continue;
    ctx.lineWidth = 1.5 * uPlot.pxRatio;
    ctx.setLineDash(to === null ? [4 * uPlot.pxRatio, 3 * uPlot.pxRatio] : []);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function colorOf(palette: Palette, tone: ChartMark["tone"]): string {
  if (tone === "accent") return palette.accent;
  return tone === "idle" ? palette.text : palette.tone(tone);
}
