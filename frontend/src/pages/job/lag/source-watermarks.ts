import type { SourceLag } from "../../../api/types";

export interface SourceWatermark {
  source: string;
  /** event time, µs */
  us: number;
  /** it alone is behind all others, so with the policy min it holds the job's watermark back */
  slowest: boolean;
}

/**
 * How far each source alone moves the watermark, the slowest first.
 *
 * @returns nothing where fewer than two are known: that of one source is the job's own
 */
export function sourceWatermarks(sources: Record<string, SourceLag>): SourceWatermark[] {
  const known = Object.entries(sources)
    .flatMap(([source, { watermark_us: us }]) => (us ? [{ source, us }] : []))
    .sort((a, b) => a.us - b.us);
  const [first, second] = known;
  if (!first || !second) return [];
  return known.map((one) => ({ ...one, slowest: one === first && first.us < second.us }));
}
