import { useMemo } from "react";
import type { Problem } from "../../api/types";
import { formProblem } from "../form-problem";
import type { Outline } from "../outline";
import type { DrawingProps } from "./drawing-props";
import type { Drawn } from "./fits";
import { usePicture, type Picture } from "./use-picture";
import { useStateForecast } from "./use-state-forecast";
import type { View } from "./use-view";

interface DrawnDocument {
  /** with the paths that the form has */
  problems: readonly Problem[];
  picture: Picture;
  drawn: Drawn;
}

/** What is drawn of the document that is being edited and of its last check. */
export function useDrawnDocument(
  {
    outline,
    ...props
  }: Pick<DrawingProps, "text" | "nodes" | "problems" | "isSound" | "previewed"> & { outline: Outline },
  { open, direction }: Pick<View, "open" | "direction">,
): DrawnDocument {
  const { text, nodes, isSound, previewed } = props;
  const problems = useMemo(
    () => props.problems.map((problem) => formProblem(problem, outline)),
    [props.problems, outline],
  );
  const forecast = useStateForecast(text, nodes, isSound);
  const picture = usePicture({ outline, nodes, problems, forecast, previewed, open, direction });
  const { graph } = picture;
  const drawn: Drawn = useMemo(() => ({ outline, graph, nodes }), [outline, graph, nodes]);
  return { problems, picture, drawn };
}
