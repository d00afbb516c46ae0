/** What was left of an error budget, and how fast it was spent, over the window. No React. */

import type { ObjectiveHistory } from "../../../api/types";

export interface BudgetHistory {
  /** epoch seconds at which each part begins */
  times: number[];
  /** share of the budget left at the end of each part, of what the whole window allows */
  left: number[];
  /** 1 spends the budget in exactly the window */
  burn: number[];
}

export function budgetHistory({
  target,
  history,
}: Pick<ObjectiveHistory, "target" | "history">): BudgetHistory {
  const allowed = 1 - target;
  const found: BudgetHistory = { times: [], left: [], burn: [] };
  const judged = history.reduce((sum, part) => sum + part.judged_s, 0);
  // Spent so far, of what the whole window allows: so that the last point is what the table says.
  let spent = 0;
  for (const { at, good_s, judged_s } of history) {
    if (!judged_s || !judged) continue;
    spent += judged_s - good_s;
    found.times.push(Date.parse(at) / 1000);
    found.left.push(1 - spent / (judged * allowed));
    found.burn.push((judged_s - good_s) / judged_s / allowed);
  }
  return found;
}
