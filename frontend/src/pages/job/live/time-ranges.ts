/** How much event time a window chart shows. */

export const TIME_RANGES: readonly { name: string; label: string; seconds: number | null }[] = [
  { name: "auto", label: "Auto", seconds: null },
  { name: "5m", label: "5 min", seconds: 300 },
  { name: "1h", label: "1 h", seconds: 3_600 },
  { name: "1d", label: "1 d", seconds: 86_400 },
  { name: "all", label: "All", seconds: null },
];

const AUTO_WINDOWS = 150;

/** @param step seconds between window starts; auto shows 150 of them */
export function rangeSeconds(name: string, step: number | null): number | null {
  if (name === "auto") return step === null ? null : step * AUTO_WINDOWS;
  return TIME_RANGES.find((span) => span.name === name)?.seconds ?? null;
}
