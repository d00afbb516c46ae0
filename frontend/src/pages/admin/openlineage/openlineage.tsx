import { Button } from "@mantine/core";
import { useState } from "react";
import { useLineageReceiver } from "../../../api/openlineage";
import { useMay } from "../../../api/workspace-context";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { DeliveryLog } from "./delivery-log";
import { ReceiverForm } from "./receiver-form";
import { ReceiverPanel } from "./receiver-panel";

/** Where the lineage of the workspace's jobs goes, and what came of it. */
export function OpenLineageTab() {
  const query = useLineageReceiver();
  const mayManage = useMay("manage_channels");
  const [editing, setEditing] = useState(false);
  const edit = () => {
    setEditing(true);
  };
  const known = query.data?.receiver ?? null;
  return (
    <>
      {known ? (
        <>
          <ReceiverPanel receiver={known} mayManage={mayManage} onEdit={edit} />
          <DeliveryLog receiver={known} />
        </>
      ) : (
        <Panel>
          <QueryResult query={query} what="the OpenLineage receiver">
            {() => (
              <Empty
                title="No receiver set"
                action={mayManage && <Button onClick={edit}>Set receiver</Button>}
              >
                OpenLineage tells your data catalog, such as Marquez, which topics and columns each job reads
                and writes, and when it starts, fails or stops.
                {!mayManage && " Ask an owner to set a receiver."}
              </Empty>
            )}
          </QueryResult>
        </Panel>
      )}
      {editing && (
        <ReceiverForm
          known={known}
          onClose={() => {
            setEditing(false);
          }}
        />
      )}
    </>
  );
}
