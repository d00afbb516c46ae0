import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError } from "../../api/client";
import { streamRef } from "../../api/query-keys";
import { useTableRow, useTableRows } from "../../api/tables";
import type { Stream, TablePage } from "../../api/types";
import { useUrlState } from "../../ui/url-state";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { count, counted, UNKNOWN } from "../../ui/format/numbers";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { Empty, LoadError, Loading } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Ago } from "../../ui/time";
import { SubmitText } from "./submit-input";
import { Refresh } from "./refresh";
import { ScanSummary } from "./scan-summary";
import { RowTable } from "./row-table";
import classes from "./stream.module.css";

/** The newest row of each key: one by its key, or all in the order of their keys. */
export function TableTab({ stream }: { stream: Stream }) {
  const [key, setKey] = useUrlState("row", "");
  const keyFields = (stream.contract.key ?? []).join(", ");
  return (
    <Panel
      flush
      title={
        <div className={classes["bar"]}>
          <SubmitText label={`Find row by ${keyFields}`} value={key} onSubmit={setKey} wide code />
          {key && (
            <Button
              variant="default"
              onClick={() => {
                setKey(null);
              }}
            >
              All rows
            </Button>
          )}
        </div>
      }
    >
      {key ? (
        <OneRow key={key} stream={stream} keyText={key} />
      ) : (
        <AllRows key={stream.name} stream={stream} />
      )}
    </Panel>
  );
}

function OneRow({ stream, keyText }: { stream: Stream; keyText: string }) {
  const search = useTableRow(streamRef(stream), keyText);
  if (search.error instanceof ApiError && search.error.code === "KEY_INVALID")
    return (
      <p role="alert" className={classes["note"]}>
        <Badge tone="bad" plain>
          Invalid key
        </Badge>{" "}
        {search.error.message}
      </p>
    );
  const unfinished = search.data?.pages.at(-1)?.state === "searching";
  return (
    <QueryResult query={unfinished ? { ...search, error: null } : search} what="row">
      {({ pages }) => {
        const last = pages.at(-1);
        const summary = <ScanSummary scans={pages.map((page) => page.scan)} />;
        if (!last || last.state === "searching")
          return (
            <>
              {summary}
              <UnfinishedScan
                query={search}
                failed="Couldn't scan older records"
                onRetry={() => void search.fetchNextPage()}
              >
                <Loading title="Scanning older records…" />
              </UnfinishedScan>
            </>
          );
        return (
          <>
            {summary}
            {last.state === "absent" ? (
              <Empty title={`No row with key ${keyText}`}>The whole topic was scanned.</Empty>
            ) : last.state === "deleted" ? (
              <Empty title="Row deleted">
                The latest record of this key is a tombstone, written <Ago at={last.entry?.timestamp} />.
              </Empty>
            ) : (
              <RowTable label="The row" stream={stream} rows={last.entry ? [last.entry] : []} />
            )}
            <div className={classes["more"]}>
              <Refresh query={search} />
            </div>
          </>
        );
      }}
    </QueryResult>
  );
}

function AllRows({ stream }: { stream: Stream }) {
  const { table, goesOn, goOn, stop } = useTableRows(streamRef(stream));
  return (
    <QueryResult query={goesOn ? { ...table, error: null } : table} what="table">
      {({ pages }) => {
        const rows = pages.flatMap((page) => page.rows);
        const deleted = pages.filter((page) => page.complete && !page.rows.length).length;
        const begun = pages.slice(
          pages
            .slice(0, -1)
            .map(({ complete }) => complete)
            .lastIndexOf(true) + 1,
        );
        return (
          <>
            <Size pages={pages} />
            <ScanSummary scans={begun.map((page) => page.scan)} />
            {rows.length > 0 && <RowTable label="Rows" stream={stream} rows={rows} />}
            {goesOn && (
              <UnfinishedScan query={table} failed="Couldn't load rows" onRetry={goOn}>
                <Loading
                  title="Loading rows…"
                  action={
                    <Button variant="default" onClick={stop}>
                      Stop
                    </Button>
                  }
                >
                  {deleted > 0 && `Only deleted rows on ${counted(deleted, "page")} so far. `}
                  Each page scans the topic, so this can take a while.
                </Loading>
              </UnfinishedScan>
            )}
            {!rows.length && !goesOn && table.hasNextPage && (
              <Empty title="No rows so far">
                {deleted > 0
                  ? `${counted(deleted, "page has", "pages have")} only deleted rows. `
                  : "The topic wasn't scanned to its end. "}
                There may be more.
              </Empty>
            )}
            {!rows.length && !table.hasNextPage && (
              <Empty title="No rows yet">The topic is empty, or every key was deleted.</Empty>
            )}
            <div className={classes["more"]}>
              {table.hasNextPage && !goesOn && (
                <Button variant="default" loading={table.isFetchingNextPage} onClick={goOn}>
                  Load more
                </Button>
              )}
              <Refresh query={table} />
            </div>
          </>
        );
      }}
    </QueryResult>
  );
}

/** A scan that goes on by itself, until a part of it fails: then why, and a button that goes on. */
function UnfinishedScan({
  query,
  failed,
  onRetry,
  children,
}: {
  query: { error: unknown; isFetching: boolean };
  failed: string;
  onRetry: () => void;
  children: ReactNode;
}) {
  if (!query.error || query.isFetching) return children;
  return <LoadError title={failed} error={query.error} onRetry={onRetry} />;
}

function Size({ pages }: { pages: readonly TablePage[] }) {
  const size = pages.find((page) => page.size)?.size;
  const last = pages.at(-1);
  return (
    <DescriptionList>
      <DescriptionItem
        label="Rows"
        note={size ? (size.exact ? "counted" : "estimate") : "counted with the first page"}
      >
        {size ? `${size.exact ? "" : "~"}${count(size.rows)}` : UNKNOWN}
      </DescriptionItem>
      <DescriptionItem label="Latest change" note="Kafka timestamp">
        {last?.newest ? <Ago at={last.newest} /> : UNKNOWN}
      </DescriptionItem>
      {last && last.malformed > 0 && (
        <DescriptionItem label="Malformed" note="excluded">
          {counted(last.malformed, "record")}
        </DescriptionItem>
      )}
    </DescriptionList>
  );
}
