import type { Stream } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { FileUpload } from "./file-upload";
import { RecordForm } from "./record-form";

/** Produce one record or a file of them; both are checked against the contract before anything is written. */
export function ProduceTab({ stream }: { stream: Stream }) {
  return (
    <>
      <Panel title="Single record">
        <RecordForm key={JSON.stringify(stream.contract)} stream={stream} />
      </Panel>
      <Panel title="Records from a file">
        <FileUpload stream={stream} />
      </Panel>
    </>
  );
}
