/** A small trend without axes; the number stands beside it. */
export function Sparkline({
  values,
  label,
  width = 72,
  height = 20,
}: {
  values: readonly (number | null)[];
  label: string;
  width?: number;
  height?: number;
}) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  const high = Math.max(...known, 1e-9);
  const at = (value: number, index: number) => {
    const x = (index / (values.length - 1)) * width;
    const y = height - 2 - (Math.max(0, value) / high) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  const runs = unbroken(values.map((value, index) => (value === null ? null : at(value, index))));
  return (
    <svg width={width} height={height} role="img" aria-label={label} style={{ display: "block" }}>
      {runs.map((points) => (
        <polyline
          key={points[0]}
          // A line from a point to itself is a dot, as its ends are round.
          points={(points.length > 1 ? points : [...points, ...points]).join(" ")}
          fill="none"
          stroke="var(--s0)"
          strokeWidth={points.length > 1 ? 1.3 : 2}
          strokeLinejoin="round"
          strokeLinecap="round"
        />
      ))}
    </svg>
  );
}

/** The points between gaps. */
function unbroken(points: readonly (string | null)[]): string[][] {
  const runs: string[][] = [];
  let run: string[] | null = null;
  for (const point of points) {
    if (point === null) run = null;
    else if (run) run.push(point);
    else runs.push((run = [point]));
  }
  return runs;
}
