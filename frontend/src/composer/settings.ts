/** The settings of a job in the form, each with its default. No React. */

export const CHOICES = [
  {
    name: "mode",
    label: "Execution mode",
    initial: "auto",
    hint: "Applied at the next start",
    options: [
      { value: "auto", label: "Automatic" },
      { value: "realtime", label: "Real-time" },
      { value: "microbatch", label: "Micro-batch" },
    ],
  },
  {
    name: "engine",
    label: "Engine",
    initial: "shared",
    hint: "Dedicated isolates the job from other jobs' crashes",
    options: [
      { value: "shared", label: "Shared (starts in ~1 s)" },
      { value: "dedicated", label: "Dedicated (starts in 1 to 16 s)" },
    ],
  },
  {
    name: "watermark",
    label: "Watermark policy",
    initial: "min",
    hint: "“Fastest” drops rows from slower sources as late",
    options: [
      { value: "min", label: "Slowest source" },
      { value: "max", label: "Fastest source" },
    ],
  },
] as const;
export const DURATIONS = [
  { name: "trigger", label: "Trigger interval", initial: "1s", hint: "Micro-batch mode only" },
  {
    name: "commit_interval",
    label: "Checkpoint interval",
    initial: "30s",
    hint: "Real-time mode only. A crash reprocesses up to this much input",
  },
  {
    name: "retention",
    label: "Result retention",
    initial: "7d",
    hint: "Of windowed results, and of rows without a key of their own; others are kept",
  },
] as const;
export const NUMBERS = [
  {
    name: "catch_up_from",
    label: "Catch up from (records)",
    initial: 50_000,
    least: 5_000,
    hint: "Real-time mode only. A larger backlog is read in micro-batches",
  },
  {
    name: "rate_limit",
    label: "Rate limit (records/s)",
    initial: null,
    least: 10,
    hint: "Per stream. Runs the job in micro-batch mode",
  },
] as const;
export const FLAGS = [
  {
    name: "contract_validation",
    label: "Contract validation",
    hint: "Keeps malformed records as dead letters while the job runs",
  },
] as const;
