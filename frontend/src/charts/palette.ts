/** Colours as the stylesheet has them now; uPlot draws on a canvas and needs values, not variables. */

export const MAX_SERIES = 12;

export interface Palette {
  text: string;
  line: string;
  fill: string;
  surface: string;
  accent: string;
  series: (index: number) => string;
  tone: (tone: "good" | "warn" | "bad") => string;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: value("--text-soft"),
    line: value("--line"),
    fill: value("--flash"),
    surface: value("--surface"),
    accent: value("--s0"),
    tone: (tone) => value(`--${tone}`),
    series: (index) => value(`--s${String(index % MAX_SERIES)}`),
  };
}
