/** Drafts belong to who wrote them: others who sign in on this browser don't find them. No React. */

import { keep } from "./browser-store";

const PERSON = "weir.person";
const OF_A_PERSON = /^weir\.(draft|sql)\./;

/**
 * Puts the drafts of who was signed in before away, and those of this person back. What was kept before it
 * was known whose it is belongs to the first person.
 */
export function keepDraftsOf(store: Storage, person: string): void {
  const before = store.getItem(PERSON);
  if (before === person) return;
  const keys = Array.from({ length: store.length }, (_, at) => store.key(at) ?? "");
  if (before !== null)
    for (const key of keys.filter((one) => OF_A_PERSON.test(one))) move(store, key, awayKey(before, key));
  const own = awayKey(person, "");
  for (const key of keys.filter((one) => one.startsWith(own))) move(store, key, key.slice(own.length));
  keep(store, PERSON, person);
}

/** Names have no slash where they are encoded, so that none is the beginning of another's key. */
function awayKey(person: string, key: string): string {
  return `weir.of/${encodeURIComponent(person)}/${key}`;
}

function move(store: Storage, from: string, to: string): void {
  const text = store.getItem(from) ?? "";
  // First the room, then what needs it: a browser may have none for both.
  store.removeItem(from);
  keep(store, to, text);
}
