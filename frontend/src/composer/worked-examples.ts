/** Golden cases that can be opened as tests, by operator. Imported where opened: they are large. No React. */

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

// TypeScript gives each example the streams of all others, as undefined.
const EXAMPLES = examples as unknown as Readonly<Record<string, readonly WorkedExample[]>>;

/** The examples of an operator, the one of its page in the reference first; none of an unknown one. */
export function workedExamples(op: string): readonly WorkedExample[] {
  return EXAMPLES[op] ?? [];
}
