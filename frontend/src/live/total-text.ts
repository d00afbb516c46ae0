/** How many rows a result has, in words that claim no more than is known. No React. */

import { count } from "../ui/format/numbers";
import type { ResultView, TotalIs } from "./result-store";

const WORDS: Readonly<Record<TotalIs, string>> = { exact: "", "at least": "more than ", about: "about " };

export function totalText({ total, totalIs }: Pick<ResultView, "total" | "totalIs">): string {
  return `${WORDS[totalIs]}${count(total)}`;
}
