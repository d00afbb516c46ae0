/** How long is waited before something is tried again, in milliseconds. No React. */

/** A connection that lasted as long was good: the next one is tried at once. */
export const STABLE_MS = 10_000;
const LAST_CONNECT_MS = 10_000;
const TOO_MANY_MS = 30_000;
const FIRST_REFUSAL_MS = 1_000;
/** Results are retried by the server itself, unless not even the subscription could be made. */
const FIRST_RESULTS_REFUSAL_MS = 15_000;
const LAST_REFUSAL_MS = 30_000;
/** Below the shortest retention of a result (10 min), and seldom enough for 10,000 rows. */
const RENEWAL_MS = 7.5 * 60_000;

/** So that pages that lost the server together don't come back together. */
function spread(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

/** @param attempt how often it was tried since a connection lasted: 0 the first time, at once */
export function connectPause(attempt: number): number {
  return attempt === 0 ? 0 : spread(Math.min(LAST_CONNECT_MS, 250 * 2 ** (attempt - 1)));
}

/** Before a connection is tried again that was one too many. */
export function tooManyPause(): number {
  return spread(TOO_MANY_MS);
}

/** @param refusals how often the channel was refused as unavailable since it was served last */
export function refusalPause(channel: string, refusals: number): number {
  const first = channel.startsWith("results/") ? FIRST_RESULTS_REFUSAL_MS : FIRST_REFUSAL_MS;
  return spread(Math.min(LAST_REFUSAL_MS, first * 2 ** refusals));
}

/** Before the rows of a result are asked for anew: 5.6 to 9.4 minutes. */
export function renewalPause(): number {
  return spread(RENEWAL_MS);
}
