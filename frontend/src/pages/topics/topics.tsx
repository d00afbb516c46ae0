import { Button, Pagination, Select, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useClusters } from "../../api/clusters";
import { pagesOf, TOPICS_PER_PAGE, useFreshTopics, useTopicPage } from "../../api/topics";
import type { Topic } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { useUrlState } from "../../ui/url-state";
import { count, counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { QueryResult } from "../../ui/query-result";
import { RequestError } from "../../ui/request-error";
import { Page, Panel } from "../../ui/page";
import { Empty, Loading } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { Ago } from "../../ui/time";
import { NewTopic } from "./new-topic";
import classes from "../jobs/jobs.module.css";

function columns(cluster: string): readonly Column<Topic>[] {
  return [
    {
      name: "Topic",
      cell: ({ name }) => (
        <Link href={`/topics/${cluster}/${encodeURIComponent(name)}`} className={classes["name"]}>
          <code>{name}</code>
        </Link>
      ),
    },
    {
      name: "Registered as",
      cell: ({ streams }) =>
        streams.length ? (
          streams.map((stream) => (
            <div key={stream}>
              <Link href={`/streams/${stream}`}>{stream}</Link>
            </div>
          ))
        ) : (
          <span className="soft">no stream</span>
        ),
    },
    { name: "Partitions", numeric: true, cell: ({ partitions }) => count(partitions) },
    { name: "Retained records", numeric: true, cell: ({ records }) => count(records) },
    { name: "Replicas", numeric: true, wideOnly: true, cell: ({ replicas }) => count(replicas) },
    { name: "Health", wideOnly: true, cell: (topic) => <Health topic={topic} /> },
  ];
}

function Health({ topic: { leaderless, under_replicated } }: { topic: Topic }) {
  if (leaderless)
    return (
      <Badge tone="bad" plain>
        {counted(leaderless, "partition")} offline
      </Badge>
    );
  if (under_replicated)
    return (
      <Badge tone="warn" plain>
        {counted(under_replicated, "partition")} under-replicated
      </Badge>
    );
  return (
    <Badge tone="good" plain>
      In sync
    </Badge>
  );
}

/** The topics of a cluster, registered as streams or not. */
export function TopicsPage({ cluster }: { cluster: string }) {
  const clusters = useClusters();
  const [, navigate] = useLocation();
  const mayEdit = useMay("edit");
  const [making, setMaking] = useState(false);
  const choices = clusters.data?.results ?? [];
  return (
    <Page
      title="Topics"
      parent={{ label: "Streams", href: "/streams" }}
      actions={
        mayEdit && !making ? (
          <Button
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => {
              setMaking(true);
            }}
          >
            Create topic
          </Button>
        ) : undefined
      }
    >
      {making && (
        <NewTopic
          cluster={cluster}
          onClose={() => {
            setMaking(false);
          }}
        />
      )}
      <div className={classes["filters"]}>
        {choices.length > 1 && (
          <Select
            aria-label="Cluster"
            allowDeselect={false}
            data={choices.map(({ id, name }) => ({ value: id, label: name }))}
            value={cluster}
            onChange={(id) => {
              navigate(`/topics/${id ?? "home"}`);
            }}
          />
        )}
        <TopicFilter />
      </div>
      <TopicTable key={cluster} cluster={cluster} />
    </Page>
  );
}

function TopicFilter() {
  const [search, setSearch] = useSearchParams();
  // One update: the second of two changes to the URL would undo the first.
  const filter = (name: string) => {
    const next = new URLSearchParams(search);
    next.delete("page");
    if (name) next.set("name", name);
    else next.delete("name");
    setSearch(next, { replace: true });
  };
  return (
    <TextInput
      aria-label="Filter by name"
      placeholder="Filter by name"
      value={search.get("name") ?? ""}
      onChange={(e) => {
        filter(e.currentTarget.value);
      }}
    />
  );
}

function TopicTable({ cluster }: { cluster: string }) {
  const [name, setName] = useUrlState("name", "");
  const [shown, setShown] = useUrlState("page", "1");
  const page = Math.max(1, Number.parseInt(shown, 10) || 1);
  const topics = useTopicPage(cluster, { name, page });
  const fresh = useFreshTopics(cluster, { name, page });
  const last = topics.isPlaceholderData || !topics.data ? null : pagesOf(topics.data.matching);
  const isBeyond = last !== null && page > last;
  // As of an address from a time with more topics.
  useEffect(() => {
    if (isBeyond) setShown(String(last));
  }, [isBeyond, last, setShown]);
  return (
    <Panel flush>
      <QueryResult query={topics} what="topics">
        {({ results, fetched_at, error, total, matching }) => {
          if (isBeyond) return <Loading title="Loading topics…" />;
          const pages = pagesOf(matching);
          const before = (page - 1) * TOPICS_PER_PAGE;
          return (
            <>
              <div className={classes["summary"]}>
                <span>
                  {counted(matching, "topic")}
                  {pages > 1 &&
                    results.length > 0 &&
                    `, of which ${count(before + 1)} to ${count(before + results.length)} are shown`}
                  , updated <Ago at={fetched_at} />
                </span>
                <Button
                  variant="subtle"
                  loading={fresh.isPending}
                  leftSection={<Icon name="refresh" size={14} />}
                  onClick={() => {
                    fresh.mutate();
                  }}
                >
                  Refresh
                </Button>
              </div>
              {fresh.error && (
                <div className={classes["summary"]}>
                  <RequestError what="Couldn't refresh the list" error={fresh.error} />
                </div>
              )}
              {error && (
                <p role="alert" className={classes["summary"]}>
                  <Badge tone="warn" plain>
                    Cluster unreachable
                  </Badge>{" "}
                  {error} Showing cached data.
                </p>
              )}
              {results.length ? (
                <Table
                  label="Topics"
                  columns={columns(cluster)}
                  rows={results}
                  rowKey={({ name: key }) => key}
                />
              ) : total ? (
                <Empty
                  title="No matching topics"
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
              ) : (
                <Empty title="No topics yet">Internal topics of Kafka and Weir aren't shown.</Empty>
              )}
              {pages > 1 && (
                <Pagination
                  className={classes["summary"] ?? ""}
                  total={pages}
                  value={page}
                  onChange={(next) => {
                    setShown(String(next));
                  }}
                  getControlProps={(control) => ({ "aria-label": CONTROLS[control] })}
                  getItemProps={(item) => ({ "aria-label": `Page ${String(item)}` })}
                />
              )}
            </>
          );
        }}
      </QueryResult>
    </Panel>
  );
}

const CONTROLS = {
  first: "First page",
  previous: "Previous page",
  next: "Next page",
  last: "Last page",
} as const;
