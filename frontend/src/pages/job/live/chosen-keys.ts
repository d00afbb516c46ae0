/**
 * The keys that a chart is restricted to, in the page's address: `AAPL|MSFT`, percent-encoded; the empty text
 * is `%`. No React.
 */

import { EMPTY_ITEM, itemText, nameOf } from "../../../ui/addresses";

export function keysText(keys: readonly string[]): string {
  return keys.map(itemText).join("|");
}

export function parseKeys(text: string): string[] {
  const items = text.split("|").filter(Boolean);
  return items.map((item) => (item === EMPTY_ITEM ? "" : nameOf(item)));
}
