/** How long a silence may be chosen to last, from now. */
export const SILENCE_SPANS = [
  { label: "For 30 min", ms: 1_800_000 },
  { label: "For 2 h", ms: 7_200_000 },
  { label: "For 8 h", ms: 28_800_000 },
  { label: "For a day", ms: 86_400_000 },
  { label: "For a week", ms: 604_800_000 },
] as const;
