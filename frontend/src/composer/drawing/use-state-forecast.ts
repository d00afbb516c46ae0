import { useDebouncedValue } from "@mantine/hooks";
import { useForecast, useMeasuredLoad } from "../../api/documents";
import type { CheckedNode, StateForecast } from "../../api/types";
import { useCarriedStreams } from "../carried-streams";
import { countsKeys, loadOf } from "../forecast-text";
import { TYPING_PAUSE_MS } from "../use-document";

const NONE: readonly StateForecast[] = [];

/**
 * The forecast of each step's state under the measured load: what the state size estimate begins with. None
 * for a document with errors, or without state.
 */
export function useStateForecast(
  text: string,
  nodes: readonly CheckedNode[],
  isSound: boolean,
): readonly StateForecast[] {
  const [settled] = useDebouncedValue(text, TYPING_PAUSE_MS);
  const isWorkspaces = useCarriedStreams() === null;
  const isAsked =
    isWorkspaces && isSound && settled === text && nodes.some(({ state }) => state.bound !== "none");
  const measured = useMeasuredLoad(settled, isAsked).data;
  const load = loadOf(
    { rates: {}, key_counts: {} },
    measured ?? { rates: {}, key_counts: {}, sampled: {} },
    nodes.filter(({ op }) => op === "source").map(({ name }) => name),
    nodes.filter(countsKeys).map(({ name }) => name),
  );
  return useForecast(settled, load, isAsked && measured !== undefined).data?.steps ?? NONE;
}
