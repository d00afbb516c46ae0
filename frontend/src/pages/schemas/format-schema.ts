/** A schema's text with line breaks; what is no JSON stays as it is. */
export function formatSchema(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
