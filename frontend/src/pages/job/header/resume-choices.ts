/** What the start menu says of resuming. No React. */

import { ApiError } from "../../../api/api-error";
import type { StartOptions } from "../../../api/types";

export interface ResumeChoice {
  version: number;
  title: string;
  note: string;
  possible: boolean;
}

/**
 * The version itself, and where it can't resume the version that can.
 *
 * @param options undefined while they are asked: then resuming is not offered yet
 * @param error why they are not known; null: they are asked
 */
export function resumeChoices(
  version: number,
  options: StartOptions | undefined,
  error: unknown = null,
): ResumeChoice[] {
  if (!options) {
    const note = error ? `Couldn't check the saved state. ${reasonOf(error)}` : "Checking the saved state…";
    return [{ version, title: "Resume", note, possible: false }];
  }
  if (options.resumable)
    return [
      { version, title: "Resume", note: options.note || "Continue from the last checkpoint", possible: true },
    ];
  const refused = { version, title: "Resume", note: options.reason, possible: false };
  const other = options.resumable_version;
  if (other === null) return [refused];
  return [
    refused,
    {
      version: other,
      title: `Resume with version ${String(other)}`,
      note: "Its state is the saved one; continue from the last checkpoint",
      possible: true,
    },
  ];
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError ? error.message : "Unexpected response from the server.";
}
