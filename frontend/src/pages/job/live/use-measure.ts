import type { SchemaField } from "../../../api/types";
import { useUrlState } from "../../../ui/url-state";
import { measureOf, type RowShape } from "./row-shape";

/** The measure that is drawn, named and chosen. */
export function useMeasure(shape: RowShape): [SchemaField | null, (name: string | null) => void] {
  const [name, setName] = useUrlState("measure", shape.measures[0]?.name ?? "");
  return [measureOf(shape, name), setName];
}
