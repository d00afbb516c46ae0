import { useCallback, useState, type PointerEvent } from "react";
import { counted } from "../ui/format/numbers";
import { CanvasBox, type Surface } from "./canvas-box";
import classes from "./state-timeline.module.css";

export interface MapPoint {
  id: string;
  longitude: number;
  latitude: number;
  label: string;
  /** gives the point's size; null: the smallest */
  value: number | null;
  newest: number;
}

type Tone = "good" | "warn" | "bad";

interface View {
  x: (longitude: number) => number;
  y: (latitude: number) => number;
  west: number;
  east: number;
  south: number;
  north: number;
}

const MARGIN_PX = 26;
const MIN_SPAN = 0.02;
const STEPS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45];
const REACH_PX = 12;
const LABEL_PX = 15;

/** Points on a graticule: longitudes and latitudes as lines, no land and no tiles. */
export function PointMap({
  points,
  write,
  tone,
  label,
}: {
  points: readonly MapPoint[];
  write: (value: number) => string;
  /** of a point's value; null: none */
  tone: (value: number | null) => Tone | null;
  label: string;
}) {
  const [pointed, setPointed] = useState<string | null>(null);
  const draw = useCallback(
    (surface: Surface) => {
      drawMap(surface, points, tone);
    },
    [points, tone],
  );
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const view = viewOf(points, box.width, box.height);
    const near = nearest(points, view, event.clientX - box.left, event.clientY - box.top);
    setPointed(near ? pointText(near, write) : null);
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
      <p className={classes["legend"]}>{pointed ?? counted(points.length, "point")}</p>
    </div>
  );
}

/** The least view that holds all points, in the proportions of their middle latitude. */
export function viewOf(points: readonly MapPoint[], width: number, height: number): View {
  let [west, east, south, north] = [180, -180, 90, -90];
  for (const { longitude, latitude } of points) {
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  const middle = { longitude: (west + east) / 2, latitude: (south + north) / 2 };
  const squeeze = Math.max(0.2, Math.cos((middle.latitude * Math.PI) / 180));
  const scale = Math.min(
    (width - 2 * MARGIN_PX) / (Math.max(MIN_SPAN, east - west) * squeeze),
    (height - 2 * MARGIN_PX) / Math.max(MIN_SPAN, north - south),
  );
  return {
    x: (longitude) => width / 2 + (longitude - middle.longitude) * squeeze * scale,
    y: (latitude) => height / 2 - (latitude - middle.latitude) * scale,
    west: Math.max(-180, middle.longitude - width / 2 / scale / squeeze),
    east: Math.min(180, middle.longitude + width / 2 / scale / squeeze),
    south: Math.max(-90, middle.latitude - height / 2 / scale),
    north: Math.min(90, middle.latitude + height / 2 / scale),
  };
}

function drawMap(
  { context, width, height, palette }: Surface,
  points: readonly MapPoint[],
  tone: (value: number | null) => Tone | null,
): void {
  const view = viewOf(points, width, height);
  drawGraticule(context, view, { width, height, line: palette.line, text: palette.text });
  const largest = Math.max(1e-9, ...points.map(({ value }) => Math.abs(value ?? 0)));
  context.globalAlpha = 0.75;
  // Read once: asking the stylesheet for each of thousands of points takes longer than drawing them.
  const colors = { good: palette.tone("good"), warn: palette.tone("warn"), bad: palette.tone("bad") };
  for (const point of points) {
    const toned = tone(point.value);
    context.fillStyle = toned ? colors[toned] : palette.accent;
    context.beginPath();
    const radius = point.value === null ? 3.5 : 2.5 + 9 * Math.sqrt(Math.abs(point.value) / largest);
    context.arc(view.x(point.longitude), view.y(point.latitude), radius, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
}

interface Sheet {
  width: number;
  height: number;
  line: string;
  text: string;
}

/** Lines of longitude and latitude, with their degrees except where the edge would cut these off. */
function drawGraticule(context: CanvasRenderingContext2D, view: View, sheet: Sheet): void {
  const { width, height } = sheet;
  const step = STEPS.find((one) => (view.east - view.west) / one <= 6) ?? 45;
  context.strokeStyle = sheet.line;
  context.fillStyle = sheet.text;
  context.lineWidth = 1;
  const stroke = (x: number, y: number, toX: number, toY: number) => {
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.stroke();
  };
  for (const at of multiples(view.west, view.east, step)) {
    const x = view.x(at);
    const text = degrees(at, "E", "W");
    stroke(x, 0, x, height);
    if (x + 3 + context.measureText(text).width <= width) context.fillText(text, x + 3, height - 5);
  }
  for (const at of multiples(view.south, view.north, step)) {
    const y = view.y(at);
    stroke(0, y, width, y);
    if (y >= LABEL_PX) context.fillText(degrees(at, "N", "S"), 3, y - 3);
  }
}

function multiples(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: Math.min(count, 60) }, (_, index) => (first + index) * step);
}

function degrees(value: number, positive: string, negative: string): string {
  const size = Number(Math.abs(value).toFixed(3));
  return size === 0 ? "0°" : `${String(size)}° ${value > 0 ? positive : negative}`;
}

function nearest(points: readonly MapPoint[], view: View, x: number, y: number): MapPoint | null {
  let best: MapPoint | null = null;
  let least = REACH_PX;
  for (const point of points) {
    const distance = Math.hypot(view.x(point.longitude) - x, view.y(point.latitude) - y);
    if (distance >= least) continue;
    least = distance;
    best = point;
  }
  return best;
}

function pointText(
  { label, longitude, latitude, value }: MapPoint,
  write: (value: number) => string,
): string {
  const place = `${degrees(latitude, "N", "S")}, ${degrees(longitude, "E", "W")}`;
  return `${label} · ${place}${value === null ? "" : ` · ${write(value)}`}`;
}
