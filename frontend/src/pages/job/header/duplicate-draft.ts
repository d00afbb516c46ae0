/** A job's document as the draft of a new job, in this browser. No React. */

import { setHead } from "../../../composer/document-edits";
import { keepDraft } from "../../../drafts/text-draft";
import { AUTOMATIC } from "../../../composer/drawing/positions";
import { writePositions } from "../../../composer/drawing/browser-positions";
import { viewOfJob } from "../../../composer/made-in";
import type { Job } from "../../../api/types";

/** Replaces the draft; gives the address where it is edited. */
export function duplicateAsDraft(
  storage: Storage,
  slug: string,
  job: Pick<Job, "id" | "name" | "document_text">,
): string {
  const draft = `${slug}.new-job`;
  keepDraft(storage, draft, setHead(job.document_text, "name", `${job.name}-copy`));
  writePositions(storage, draft, AUTOMATIC);
  return `/jobs/new/${viewOfJob(storage, `${slug}.job.${job.id}`)}`;
}
