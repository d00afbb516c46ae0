import { useMemo } from "react";
import { useStreams } from "../../api/streams";
import type { CheckedNode } from "../../api/types";
import { useCallables } from "../form/use-callables";
import type { Known, Relation } from "./completion";

/** The names that SQL may use: streams and tables of the workspace, nodes of the job, functions, measures. */
export function useKnown(nodes: readonly CheckedNode[]): Known {
  const streams = useStreams().data?.results;
  const callables = useCallables(true);
  return useMemo(() => {
    const known = new Map<string, Relation>();
    for (const { name, kind, contract } of streams ?? [])
      known.set(name, { name, kind, fields: contract.fields });
    for (const { name, op, schema } of nodes)
      known.set(name, {
        name,
        kind: known.get(name)?.kind ?? (op === "source" ? op : "view"),
        fields: schema,
      });
    return { relations: [...known.values()], callables };
  }, [streams, nodes, callables]);
}
