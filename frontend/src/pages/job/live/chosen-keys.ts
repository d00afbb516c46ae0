/** The keys that a chart is restricted to, in the page's address: `AAPL|MSFT`, percent-encoded. No React. */

import { nameOf } from "../../../ui/addresses";

export function keysText(keys: readonly string[]): string {
  return keys.map(encodeURIComponent).join("|");
}

export function parseKeys(text: string): string[] {
  return text.split("|").filter(Boolean).map(nameOf);
}
