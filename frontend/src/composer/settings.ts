/** How a job runs, as the form knows it: each setting with what goes without saying. No React. */

export const CHOICES = [
  {
    name: "mode", label: "Mode", initial: "auto", hint: "Chosen at a start, never while it runs",
    options: [{ value: "auto", label: "Choose for me" }, { value: "realtime", label: "Real-time" }, { value: "microbatch", label: "Micro-batch" }],
  },
  {
    name: "engine", label: "Engine", initial: "shared", hint: "Its own is ended by no other job’s crash",
    options: [{ value: "shared", label: "Shared, starts in a moment" }, { value: "dedicated", label: "Its own, starts in seconds" }],
  },
  {
    name: "watermark", label: "Time moves on with", initial: "min", hint: "Of several sources. With the fastest, rows of slower ones are lost as late",
    options: [{ value: "min", label: "The slowest source" }, { value: "max", label: "The fastest source" }],
  },
] as const;
export const DURATIONS = [
  { name: "trigger", label: "A micro-batch every", initial: "1s", hint: "In micro-batch mode" },
  { name: "commit_interval", label: "Progress is saved every", initial: "30s", hint: "In real-time mode; a crash repeats that much" },
  { name: "retention", label: "Keep windowed results for", initial: "7d", hint: "Results by key without a window stay" },
] as const;
export const FLAGS = [
  { name: "guard", label: "Keep what it skips", hint: "The guards of its streams are on while it runs, and keep malformed records as dead letters" },
] as const;
