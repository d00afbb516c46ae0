import { useMemo } from "react";
import { useFunctions } from "../../api/documents";
import type { Callable } from "../completion";
import { asText, asTexts } from "./values";

/** Functions of expressions, and measures if requested, for the completion. */
export function useCallables(measures = false): readonly Callable[] {
  const { data } = useFunctions();
  return useMemo(() => {
    const functions = (data?.functions ?? []).map((row) => {
      const signature = asTexts(row["signatures"])[0] ?? "";
      return {
        name: asText(row["name"]),
        signature,
        doc: asText(row["doc"]),
        bare: signature.includes("()"),
      };
    });
    if (!measures) return functions;
    const own = (data?.measures ?? []).map((row) => ({
      name: asText(row["name"]),
      signature: asText(row["example"]),
      doc: asText(row["meaning"]),
      bare: Array.isArray(row["columns"]) && row["columns"].length === 0,
    }));
    return [...own, ...functions];
  }, [data, measures]);
}
