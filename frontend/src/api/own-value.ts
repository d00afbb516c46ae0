/** What stands under a name that a person chose: `constructor` is one like others. No React. */

export function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
