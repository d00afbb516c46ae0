import { Button, TextInput } from "@mantine/core";
import { Link } from "wouter";
import { useStreams } from "../../api/streams";
import { HOME } from "../../api/topics";
import type { Stream } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { useUrlState } from "../../ui/url-state";
import { count, counted, rate } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { QueryResult } from "../../ui/query-result";
import { Page, Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { durationText, eventTimeText } from "../../ui/labels";
import classes from "../jobs/jobs.module.css";

const COLUMNS: readonly Column<Stream>[] = [
  {
    name: "Stream",
    cell: ({ name, description }) => (
      <>
        <Link href={`/streams/${name}`} className={classes["name"]}>
          {name}
        </Link>
        {description && (
          <div className={`${classes["sub"] ?? ""} ${classes["about"] ?? ""} clip`} title={description}>
            {description}
          </div>
        )}
      </>
    ),
  },
  {
    name: "Topic",
    cell: ({ topic, partitions, cluster, cluster_name }) => (
      <>
        <code>{topic}</code>
        <div className={classes["sub"]}>
          {counted(partitions, "partition")}
          {cluster !== HOME && ` on ${cluster_name}`}
        </div>
      </>
    ),
  },
  {
    name: "Event time",
    wideOnly: true,
    cell: ({ contract }) => (
      <>
        {eventTimeText(contract.event_time)}
        <div className={classes["sub"]}>
          {contract.delay ? `watermark delay ${durationText(contract.delay)}` : "excluded from watermark"}
        </div>
      </>
    ),
  },
  { name: "Retained records", numeric: true, wideOnly: true, cell: ({ records }) => count(records) },
  { name: "Write rate", numeric: true, cell: ({ rate_per_second }) => rate(rate_per_second, "records") },
  {
    name: "Used by",
    cell: ({ used_by }) =>
      used_by.length ? (
        used_by.map(({ job_id, job_name }) => (
          <div key={job_id}>
            <Link href={`/jobs/${job_id}`}>{job_name}</Link>
          </div>
        ))
      ) : (
        <span className="soft">no job</span>
      ),
  },
];

export function StreamsPage() {
  const streams = useStreams();
  const mayEdit = useMay("edit");
  const register = (
    <Button component={Link} href="/new-stream" leftSection={<Icon name="plus" size={14} />}>
      Register a stream
    </Button>
  );
  return (
    <Page
      title="Streams"
      actions={
        <>
          <Button component={Link} href="/schemas" variant="default">
            Schemas
          </Button>
          <Button component={Link} href="/topics" variant="default">
            Topics
          </Button>
          {mayEdit && register}
        </>
      }
    >
      <QueryResult query={streams} what="streams">
        {({ results, error }) =>
          results.length ? (
            <>
              {error && (
                <p role="alert">
                  <Badge tone="warn" plain>
                    Kafka didn't respond
                  </Badge>{" "}
                  {error} Counts and rates are unavailable.
                </p>
              )}
              <FilteredStreams streams={results} />
            </>
          ) : (
            <Panel>
              <Empty title="No streams yet" action={mayEdit ? register : undefined}>
                A stream is a Kafka topic with a contract. Register one so that jobs can read it.
              </Empty>
            </Panel>
          )
        }
      </QueryResult>
    </Page>
  );
}

function FilteredStreams({ streams }: { streams: readonly Stream[] }) {
  const [name, setName] = useUrlState("name", "");
  const query = name.toLowerCase();
  const shown = streams.filter(
    (stream) => stream.name.toLowerCase().includes(query) || stream.topic.toLowerCase().includes(query),
  );
  return (
    <>
      <div className={classes["filters"]}>
        <TextInput
          aria-label="Filter by name or topic"
          placeholder="Filter by name or topic"
          value={name}
          onChange={(e) => {
            setName(e.currentTarget.value || null);
          }}
        />
        <span className="soft">{counted(shown.length, "stream")}</span>
      </div>
      <Panel flush>
        {shown.length ? (
          <Table label="Streams" columns={COLUMNS} rows={shown} rowKey={({ name: key }) => key} />
        ) : (
          <Empty
            title="No matching streams"
            action={
              <Button
                variant="default"
                onClick={() => {
                  setName(null);
                }}
              >
                Clear filters
              </Button>
            }
          />
        )}
      </Panel>
    </>
  );
}
