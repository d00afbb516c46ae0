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
  const points = values.flatMap((value, index) => (value === null ? [] : [at(value, index)])).join(" ");
  return (
    <svg width={width} height={height} role="img" aria-label={label} style={{ display: "block" }}>
      <polyline points={points} fill="none" stroke="var(--s0)" strokeWidth="1.3" strokeLinejoin="round" />
    </svg>
  );
}
