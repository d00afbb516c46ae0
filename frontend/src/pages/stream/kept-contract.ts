/** The draft of a stream's contract, as this browser keeps it. No React. */

import type { Contract, Stream } from "../../api/types";
import type { Stored } from "../../drafts/shared-draft";
import { draftOf, type StreamDraft } from "../streams/contract-draft";

export interface ContractDraft {
  /** the form changes parts of it */
  contract: Contract;
  form: StreamDraft;
}

export function contractDraftName(workspace: string, stream: string): string {
  return `${workspace}.stream.${stream}.contract`;
}

export function storedOf(stream: Stream): Stored<ContractDraft> {
  const value = { contract: stream.contract, form: draftOf(stream) };
  return { revision: stream.revision, value, by: "" };
}
