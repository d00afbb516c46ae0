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
export function levelWords(level: string): string {
  return WORDS[level] ?? level;
}
