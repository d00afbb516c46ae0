/** What a person asks for by the text of a time input. No React. */

import { instant, localInputText } from "../../ui/format/times";

/**
 * The moment of a text; null: none. Undefined where the text is what is shown of `value`, which may say more:
 * milliseconds, or which of two hours with the same name.
 */
export function submittedTime(text: string, value: string): string | null | undefined {
  const chosen = instant(value);
  if (text === (chosen ? localInputText(chosen) : "")) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
