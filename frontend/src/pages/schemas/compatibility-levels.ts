/** The registry's rules in words. No React. */

export const LEVELS = ["NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"] as const;
export const MODES = ["READWRITE", "READONLY", "READONLY_OVERRIDE", "IMPORT"] as const;

const WORDS: Readonly<Record<string, string>> = {
  NONE: "meet no rule",
  BACKWARD: "read the records of the version before",
  BACKWARD_TRANSITIVE: "read the records of all versions before",
  FORWARD: "be readable by the version before",
  FORWARD_TRANSITIVE: "be readable by all versions before",
  FULL: "read the version before, and be readable by it",
  FULL_TRANSITIVE: "read all versions before, and be readable by them",
};

/** A compatibility level as what it asks of a new version. */
export function levelText(level: string): string {
  return WORDS[level] ?? level;
}

const MODE_WORDS: Readonly<Record<string, string>> = {
  READWRITE: "allowed",
  READONLY: "refused",
  READONLY_OVERRIDE: "refused, whatever a subject says",
  IMPORT: "allowed with ids and versions that the client gives",
};

/** A mode as what it lets people and programs do. */
export function modeText(mode: string): string {
  return MODE_WORDS[mode] ?? mode;
}
