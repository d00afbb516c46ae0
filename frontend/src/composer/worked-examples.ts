/** Golden cases that can be opened as tests, by operator; large, so only their page imports them. */

import { ownValue } from "../api/own-value";
import type { CarriedStreams } from "./carried-streams";
import examples from "./worked-examples.json";

export interface WorkedExample {
  title: string;
  /** the job document */
  document: string;
  streams: CarriedStreams;
  /** the test document */
  test: string;
}

// TypeScript gives the streams of one example those of all others, as undefined ones.
const EXAMPLES = examples as unknown as Readonly<Record<string, readonly WorkedExample[]>>;

/** The examples of an operator, the one of its page in the reference first; none of an unknown one. */
export function workedExamples(op: string): readonly WorkedExample[] {
  return ownValue(EXAMPLES, op) ?? [];
}
