/** Parameters as the form needs them; what has another shape shows as empty and stays in the text. */

export function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(asText).filter(Boolean) : [];
}

/** An expression: YAML reads true and false as no texts. */
export function asExpression(value: unknown): string {
  return typeof value === "boolean" ? String(value) : asText(value);
}

export function asNamed(value: unknown): [string, string][] {
  return entriesOf(value).map(([name, expression]) => [name, asExpression(expression)]);
}

/** The rows of names and what they stand for, as it is. */
export function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value);
}

/**
 * Why a name can't be given to a row; null where it can. JavaScript puts members whose names are numbers
 * before all others, so that a row would change its place while its name is typed.
 *
 * @param others names of the other rows
 */
export function refusalOf(name: string, others: readonly string[]): string | null {
  if (others.includes(name)) return `${name || "A row without a name"} already exists.`;
  return /^\d+$/.test(name) ? "A name begins with a letter." : null;
}

/** The rows with one of them replaced: what the form can't show of the others stays. */
export function withEntry(value: unknown, at: number, entry: Partial<{ name: string; of: string }>) {
  return Object.fromEntries(
    entriesOf(value).map(([name, of], index) =>
      index === at ? [entry.name ?? name, entry.of ?? of] : [name, of],
    ),
  );
}
