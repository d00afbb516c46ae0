/** What types of fields are for. */

export function isNumeric(type: string): boolean {
  return ["int", "long", "double"].includes(type) || type.startsWith("decimal");
}
