/** The draft of a stream's contract, as this browser keeps it. No React. */

import type { Contract, Stream } from "../../api/types";
import type { Stored } from "../../drafts/shared-draft";
import { draftOf, type StreamDraft } from "../streams/contract-draft";

export interface ContractDraft {
  /** the form changes parts of it */
  contract: Contract;
  form: StreamDraft;
}

/** A stream registered later under the same name is another one, whose revisions begin anew. */
export function contractDraftName(workspace: string, stream: Pick<Stream, "name" | "created_at">): string {
  return `${workspace}.stream.${stream.name}.${stream.created_at}.contract`;
}

export function storedOf(stream: Stream): Stored<ContractDraft> {
  const value = { contract: stream.contract, form: draftOf(stream) };
  return { revision: stream.revision, value, by: "" };
}
