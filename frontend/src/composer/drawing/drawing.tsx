/** A job document as a drawing: the fourth view. Edits go into the document's text as the form's do. */

import { ReactFlowProvider } from "@xyflow/react";
import { useMemo, type ReactNode, type Ref } from "react";
import type { CheckedNode, Problem } from "../../api/types";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { readOutline } from "../outline";
import { Editing } from "./editing";

export interface DrawingHandle {
  /** selects the node of a path in the document and puts the cursor into its field */
  goTo: (path: readonly string[]) => void;
}

export interface DrawingProps {
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  nodes: readonly CheckedNode[];
  /** whether the check found no errors */
  isSound: boolean;
  /** what the positions are kept under */
  job: string;
  /** beside the drawing while no node is selected */
  aside: ReactNode;
  ref?: Ref<DrawingHandle>;
}

export default function Drawing(props: DrawingProps) {
  const reading = useMemo(() => readOutline(props.text), [props.text]);
  if ("unsupported" in reading)
    return (
      <>
        <Panel>
          <Empty title="Can't draw this job">{reading.unsupported}</Empty>
        </Panel>
        {props.aside}
      </>
    );
  return (
    <ReactFlowProvider>
      <Editing {...props} outline={reading.outline} />
    </ReactFlowProvider>
  );
}
