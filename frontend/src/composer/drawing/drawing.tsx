/** A job document as a drawing: the fourth view. Edits go into the document's text as the form's do. */

import { ReactFlowProvider } from "@xyflow/react";
import { useMemo } from "react";
import { Panel } from "../../ui/page";
import { Empty, Loading } from "../../ui/placeholders";
import { readOutline } from "../outline";
import type { DrawingProps } from "./drawing-props";
import { Editing } from "./editing";

export default function Drawing(props: DrawingProps) {
  const reading = useMemo(() => readOutline(props.text), [props.text]);
  if (props.positions.isLoading) return <Loading title="Loading drawing…" />;
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
