/** The registry's rules in words. No React. */

export const LEVELS = [
  "NONE",
  "BACKWARD",
  "BACKWARD_TRANSITIVE",
  "FORWARD",
  "FORWARD_TRANSITIVE",
  "FULL",
  "FULL_TRANSITIVE",
] as const;
export const MODES = ["READWRITE", "READONLY", "READONLY_OVERRIDE", "IMPORT"] as const;

const WORDS: Readonly<Record<string, string>> = {
  NONE: "None",
  BACKWARD: "Backward: can read data of the previous version",
  BACKWARD_TRANSITIVE: "Backward transitive: can read data of all previous versions",
  FORWARD: "Forward: readable by the previous version",
  FORWARD_TRANSITIVE: "Forward transitive: readable by all previous versions",
  FULL: "Full: backward and forward with the previous version",
  FULL_TRANSITIVE: "Full transitive: backward and forward with all previous versions",
};

/** A compatibility level and what it requires of a new version. */
export function levelText(level: string): string {
  return WORDS[level] ?? level;
}

const MODE_WORDS: Readonly<Record<string, string>> = {
  READWRITE: "Read-write",
  READONLY: "Read-only",
  READONLY_OVERRIDE: "Read-only (overrides subjects)",
  IMPORT: "Import (client sets IDs and versions)",
};

/** A mode as a label. */
export function modeText(mode: string): string {
  return MODE_WORDS[mode] ?? mode;
}
