/** What the editor of a dashboard holds. No React. */

import type { Dashboard, DashboardDocument } from "../../api/types";
import { inOrder, type Stored } from "../../drafts/shared-draft";

export interface DashboardDraft {
  name: string;
  document: DashboardDocument;
}

/** Under which this browser keeps it. */
export function draftName(workspace: string, dashboard: string): string {
  return `${workspace}.dashboard.${dashboard}`;
}

export function storedOf({ revision, name, document, changed_by }: Dashboard): Stored<DashboardDraft> {
  return { revision, value: { name, document }, by: changed_by };
}

/** As text, to be compared line by line. */
export function textOf(draft: DashboardDraft): string {
  return JSON.stringify(draft, inOrder, 2);
}
