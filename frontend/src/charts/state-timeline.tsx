import { useCallback, useState, type PointerEvent } from "react";
import { shortTime } from "../ui/format/times";
import { CanvasBox, type Surface } from "./canvas-box";
import classes from "./state-timeline.module.css";

export interface LanesData {
  /** epoch seconds */
  from: number;
  to: number;
  lanes: readonly { name: string; spans: readonly { from: number; to: number; state: string }[] }[];
  /** lanes that are not drawn */
  rest: number;
}

const AXIS_PX = 20;
const NAME_PX = 96;
const GAP_PX = 3;
const MAX_LANE_PX = 34;

interface Drawn extends LanesData {
  states: readonly string[];
}

/** A lane per key, coloured by state; the state's word stands in its span where there is room. */
export function StateTimeline({ data, label }: { data: LanesData; label: string }) {
  const states = statesOf(data);
  const [pointed, setPointed] = useState<string | null>(null);
  const draw = useCallback(
    (surface: Surface) => {
      drawLanes(surface, { ...data, states: statesOf(data) });
    },
    [data],
  );
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setPointed(pointedText(data, event.clientX - box.left, event.clientY - box.top, box.width, box.height));
  };
  return (
    <div className={classes["frame"]}>
      <CanvasBox
        draw={draw}
        label={label}
        onPointerMove={onPointerMove}
        onPointerLeave={() => {
          setPointed(null);
        }}
      />
      <p className={classes["legend"]}>
        {pointed ??
          states.map((state, index) => (
            <span key={state} className={classes["state"]}>
              <span className={classes["swatch"]} style={{ background: `var(--s${String(index % 12)})` }} />
              {state}
            </span>
          ))}
      </p>
    </div>
  );
}

function statesOf(data: LanesData): string[] {
  return [...new Set(data.lanes.flatMap(({ spans }) => spans.map(({ state }) => state)))].sort();
}

function laneHeight(count: number, height: number): number {
  return Math.min(MAX_LANE_PX, (height - AXIS_PX) / Math.max(1, count));
}

function drawLanes({ context, width, height, palette }: Surface, data: Drawn): void {
  const lane = laneHeight(data.lanes.length, height);
  const place = (at: number) => NAME_PX + ((at - data.from) / (data.to - data.from)) * (width - NAME_PX);
  context.textBaseline = "middle";
  data.lanes.forEach(({ name, spans }, row) => {
    const top = row * lane;
    context.fillStyle = palette.text;
    context.fillText(clipped(context, name, NAME_PX - 10), 2, top + lane / 2);
    for (const { from, to, state } of spans) {
      const left = place(from);
      const length = Math.max(1, place(to) - left);
      context.fillStyle = palette.series(data.states.indexOf(state));
      context.fillRect(left, top + GAP_PX / 2, length, Math.max(1, lane - GAP_PX));
      if (lane < 15 || length < 30) continue;
      context.fillStyle = palette.surface;
      context.fillText(clipped(context, state, length - 8), left + 4, top + lane / 2);
    }
  });
  drawAxis(context, { from: data.from, to: data.to, width, top: data.lanes.length * lane }, palette.text);
}

function drawAxis(
  context: CanvasRenderingContext2D,
  { from, to, width, top }: { from: number; to: number; width: number; top: number },
  color: string,
): void {
  context.fillStyle = color;
  const write = (at: number) => shortTime(new Date(at * 1000));
  context.fillText(write(from), NAME_PX, top + AXIS_PX / 2);
  const end = write(to);
  context.fillText(end, width - context.measureText(end).width - 2, top + AXIS_PX / 2);
}

function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let kept = text;
  while (kept.length > 1 && context.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return context.measureText(`${kept}…`).width <= width ? `${kept}…` : "";
}

function pointedText(data: LanesData, x: number, y: number, width: number, height: number): string | null {
  const lane = data.lanes[Math.floor(y / laneHeight(data.lanes.length, height))];
  const at = data.from + ((x - NAME_PX) / (width - NAME_PX)) * (data.to - data.from);
  const span = lane?.spans.find(({ from, to }) => at >= from && at < to);
  if (!lane || !span) return null;
  const times = [span.from, span.to].map((one) => shortTime(new Date(one * 1000)));
  return `${lane.name}: ${span.state}, ${times.join("–")}`;
}
