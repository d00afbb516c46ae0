/** Drafts belong to who wrote them: others who sign in on this browser don't find them. No React. */

const PERSON = "weir.person";
const OF_A_PERSON = /^weir\.(draft|sql)\./;

/**
 * Puts the drafts of who was signed in before away, and those of this person back. What was kept before it
 * was known whose it is belongs to the first person.
 */
export function keepDraftsOf(store: Storage, person: string): void {
  const before = store.getItem(PERSON);
  if (before === person) return;
  if (before !== null) move(store, OF_A_PERSON, (key) => awayKey(before, key));
  const own = awayKey(person, "");
  move(
    store,
    (key) => key.startsWith(own),
    (key) => key.slice(own.length),
  );
  store.setItem(PERSON, person);
}

/** Names have no slash where they are encoded, so that none is the beginning of another's key. */
function awayKey(person: string, key: string): string {
  return `weir.of/${encodeURIComponent(person)}/${key}`;
}

function move(store: Storage, which: RegExp | ((key: string) => boolean), to: (key: string) => string): void {
  const isOne = typeof which === "function" ? which : (key: string) => which.test(key);
  const keys = Array.from({ length: store.length }, (_, at) => store.key(at) ?? "");
  for (const key of keys.filter(isOne)) {
    const text = store.getItem(key) ?? "";
    // First the room, then what needs it: a browser may have none for both.
    store.removeItem(key);
    store.setItem(to(key), text);
  }
}
