/** A job's document as the draft of a new job, in this browser. No React. */

import { setHead } from "../../../composer/document-edits";
import { withLineFeeds } from "../../../drafts/line-ends";
import { hasDraft, keepDraft } from "../../../drafts/text-draft";
import { AUTOMATIC } from "../../../composer/drawing/positions";
import { writePositions } from "../../../composer/drawing/browser-positions";
import { isUnread, readTypedSql, writeTypedSql } from "../../../composer/sql/typed-sql";
import { viewOfJob } from "../../../composer/view";
import type { Job } from "../../../api/types";

/** Whether this browser has a draft of a new job. SQL that can't be read yet is one, of no document. */
export function hasNewJobDraft(storage: Pick<Storage, "getItem">, slug: string): boolean {
  const draft = `${slug}.new-job`;
  return hasDraft(storage, draft) || isUnread(readTypedSql(storage, draft));
}

/** Replaces the draft; gives the address where it is edited. */
export function duplicateAsDraft(
  storage: Storage,
  slug: string,
  job: Pick<Job, "name" | "document_text" | "edited_in">,
): string {
  const draft = `${slug}.new-job`;
  keepDraft(storage, draft, setHead(withLineFeeds(job.document_text), "name", `${job.name}-copy`));
  writeTypedSql(storage, draft, null);
  writePositions(storage, draft, AUTOMATIC);
  return `/jobs/new/${viewOfJob(job)}`;
}
