import { Link } from "wouter";
import type { Stream } from "../../api/types";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Table } from "../../ui/table";

export function UsedByTab({ stream }: { stream: Stream }) {
  return (
    <Panel flush>
      {stream.used_by.length ? (
        <Table
          label="Jobs that use the stream"
          columns={[
            { name: "Job", cell: ({ job_id, job_name }) => <Link href={`/jobs/${job_id}`}>{job_name}</Link> },
          ]}
          rows={stream.used_by}
          rowKey={({ job_id }) => job_id}
        />
      ) : (
        <Empty title="No jobs use this stream">It can be unregistered.</Empty>
      )}
    </Panel>
  );
}
