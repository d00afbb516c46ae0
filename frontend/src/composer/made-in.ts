/** The view in which a job was made or edited last, in this browser: editing opens in it. No React. */

import { VIEWS, type View } from "./view";

type Kept = Pick<Storage, "getItem" | "setItem">;

const keyOf = (job: string) => `weir.view.${job}`;

/** @param job what positions of the drawing are kept under, too */
export function rememberView(storage: Kept, job: string, view: View): void {
  storage.setItem(keyOf(job), view);
}

/** The view to open a job's document in; YAML where this browser has never seen it edited. */
export function viewOfJob(storage: Kept, job: string): View {
  const kept = storage.getItem(keyOf(job));
  return VIEWS.find(({ view }) => view === kept)?.view ?? "text";
}
