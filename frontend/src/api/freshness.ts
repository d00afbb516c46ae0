/** Which tells the newest state of a run: an answer or what was pushed. By the clock of this browser. */

import { hashKey, type QueryKey } from "@tanstack/react-query";

const now = () => performance.now();

const asked = new Map<string, number>();

/** An answer, of which it is remembered when it was asked for: it tells what was so then, or later. */
export async function withAskedAt<T>(key: QueryKey, ask: () => Promise<T>): Promise<T> {
  const at = now();
  const answer = await ask();
  asked.set(hashKey(key), Math.max(at, askedAt(key))); // one that was overtaken comes late
  return answer;
}

/** When the answer that is kept under a key was asked for. */
export function askedAt(key: QueryKey): number {
  return asked.get(hashKey(key)) ?? 0;
}

export interface Pushed {
  cameAt: number;
}

export function pushedNow<T extends object>(value: T): T & Pushed {
  return { ...value, cameAt: now() };
}

/** What was pushed, unless an answer is newer: always soon where the connection is lost. */
export function newerThan<T extends Pushed>(pushed: T | undefined, answerAskedAt: number): T | undefined {
  return pushed && pushed.cameAt > answerAskedAt ? pushed : undefined;
}

/** The server reads what people want of a job this often, and pushes other changes in between. */
const COMMANDS_READ_MS = 2_500;
const commanded = new Map<string, number>();

/** A job was started or stopped by this page. */
export function rememberCommand(jobId: string): void {
  commanded.set(jobId, now());
}

/** Whether what is pushed of a job may still not know of its start or stop by this page. */
export function isCommandNew(jobId: string): boolean {
  const at = commanded.get(jobId);
  return at !== undefined && now() - at < COMMANDS_READ_MS;
}
