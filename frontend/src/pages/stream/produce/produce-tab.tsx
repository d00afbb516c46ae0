import type { Stream } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { FileOfRecords } from "./file-of-records";
import { OneRecord } from "./one-record";

/** One record by hand, or a file of them; both are checked against the contract before anything is written. */
export function ProduceTab({ stream }: { stream: Stream }) {
  return (
    <>
      <Panel title="One record"><OneRecord key={JSON.stringify(stream.contract)} stream={stream} /></Panel>
      <Panel title="A file of records"><FileOfRecords stream={stream} /></Panel>
    </>
  );
}
