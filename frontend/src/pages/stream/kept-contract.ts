/** The draft of a stream's contract, as this browser keeps it. No React. */

import type { Contract, Stream } from "../../api/types";
import {
  dropDraft,
  inOrder,
  readDraft,
  writeDraft,
  type Draft,
  type Stored,
} from "../../drafts/shared-draft";
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

/** Gives a draft the name that it has now, where it was kept before names had the time of registration. */
export function takeOverDraft(
  store: Pick<Storage, "getItem" | "setItem" | "removeItem">,
  workspace: string,
  stream: Stream,
): void {
  const name = contractDraftName(workspace, stream);
  const earlier = `${workspace}.stream.${stream.name}.contract`;
  const draft = readDraft<ContractDraft>(store, earlier);
  if (!draft || readDraft(store, name)) return;
  // First, so that there is room for it.
  dropDraft(store, earlier);
  if (isOf(stream, draft)) writeDraft(store, name, draft);
}

/** Whether a draft was begun on this stream, and not on one registered before under its name. */
function isOf({ revision, contract }: Stream, { original }: Draft<ContractDraft>): boolean {
  const isSame = JSON.stringify(original.value.contract, inOrder) === JSON.stringify(contract, inOrder);
  return original.revision < revision || (original.revision === revision && isSame);
}

export function storedOf(stream: Stream): Stored<ContractDraft> {
  const value = { contract: stream.contract, form: draftOf(stream) };
  return { revision: stream.revision, value, by: "" };
}
