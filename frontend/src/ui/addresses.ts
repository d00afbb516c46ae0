/**
 * Addresses with names in them that may contain anything. wouter takes one escape off the whole path and the
 * whole query before it cuts them into parts, so a % in a part would be decoded twice.
 */

import type { BaseLocationHook } from "wouter";
import { useBrowserLocation, useSearch, type BrowserSearchHook } from "wouter/use-browser-location";

function guarded(text: string): string {
  return text.replaceAll("%25", "%2525");
}

/** The location of the address bar, with each % of a name still escaped. */
export const useNamedLocation: BaseLocationHook = (options?: { ssrPath?: string }) => {
  const [path, navigate] = useBrowserLocation(options);
  return [guarded(path), navigate];
};

/** Its query, with each % of a value still escaped. */
export const useNamedSearch: BrowserSearchHook = (options) => guarded(useSearch(options));

/** A name out of a path; one that a person has typed wrongly stays as it is. */
export function nameOf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Whether a location, as wouter gives it, is where this link leads. */
export function isAt(location: string, href: string): boolean {
  try {
    return location === decodeURI(guarded(href));
  } catch {
    return location === href;
  }
}

/** The empty text in a list of an address: nothing else is written as a lone %. */
export const EMPTY_ITEM = "%";

/** A text of a list in an address, percent-encoded. */
export function itemText(item: string): string {
  return item === "" ? EMPTY_ITEM : encodeURIComponent(item);
}
