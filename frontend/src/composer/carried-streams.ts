/**
 * Contracts of streams that come with a document instead of being registered, by name, as the API takes
 * them; null: the document reads registered streams.
 */

import { createContext, useContext } from "react";

export type CarriedStreams = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const CarriedStreamsContext = createContext<CarriedStreams | null>(null);

export function useCarriedStreams(): CarriedStreams | null {
  return useContext(CarriedStreamsContext);
}

export interface KnownStream {
  name: string;
  kind: "stream" | "table";
  contract: { kind?: string; delay?: string | null };
}

/** The streams of an example as those of a workspace are listed. */
export function carriedList(carried: CarriedStreams): KnownStream[] {
  return Object.entries(carried).map(([name, contract]) => ({
    name,
    kind: contract["kind"] === "table" ? "table" : "stream",
    contract,
  }));
}
