import { Select, Switch, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import { useConnection } from "../../../api/live";
import { useLiveLog, useLogPages } from "../../../api/logs";
import type { LogFilter } from "../../../api/query-keys";
import type { Job, LogLine, LogPage } from "../../../api/types";
import { instant, shortTime, zoneName } from "../../../ui/format/times";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { useUrlState } from "../../../ui/url-state";
import { EmptyLog } from "./empty-log";
import { LogActions } from "./log-actions";
import { LEVEL_CHOICES, merged, readLevel, type Level } from "./log-lines";
import { LogView } from "./log-view";
import classes from "./logs.module.css";

const NO_LINES: readonly LogLine[] = [];

/** What the engine logs about a run of the job, as it comes, and nothing about other jobs. */
export function LogsTab({ job }: { job: Job }) {
  const [run, setRun] = useUrlState("run", "");
  const [level, setLevel] = useUrlState("level", "info");
  const [q, setText] = useUrlState("q", "");
  const [follow, setFollow] = useState(true);
  const filter = useMemo<LogFilter>(
    () => ({ ...(run && { run }), level: readLevel(level), ...(q && { q }) }),
    [run, level, q],
  );
  const query = useLogPages(job.id, filter);
  const live = useLiveLog(job.id);
  const first = query.data?.pages[0];
  useNewRuns(first, live, query.refetch);
  const shownRun = first?.run ?? "";
  const current = shownRun === (first?.runs[0]?.id ?? "");
  const lines = useMemo(
    () =>
      merged(
        query.data?.pages.flatMap((page) => page.lines) ?? NO_LINES,
        live.get(shownRun) ?? NO_LINES,
        filter,
        !query.hasNextPage,
      ),
    [query.data, query.hasNextPage, live, shownRun, filter],
  );
  return (
    <Panel
      flush
      title={
        <div className={classes["bar"]}>
          {current && <ConnectionBadge following={follow} />}
          {first && first.runs.length > 1 && <RunChoice page={first} onChange={setRun} />}
          {first?.runs.length !== 0 && (
            <>
              <LevelChoice level={readLevel(level)} onChange={setLevel} />
              <SearchInput value={q} onChange={setText} />
            </>
          )}
        </div>
      }
      aside={
        <div className={classes["bar"]}>
          {current && lines.length > 0 && (
            <Switch
              label="Follow"
              checked={follow}
              onChange={(event) => {
                setFollow(event.currentTarget.checked);
              }}
            />
          )}
          <LogActions job={job} filter={filter} page={first} lines={lines} />
        </div>
      }
    >
      <QueryResult query={{ ...query, data: first }} what="log lines">
        {(page) =>
          lines.length ? (
            <LogView
              key={`${shownRun} ${level} ${q}`}
              lines={lines}
              follow={follow}
              onFollow={setFollow}
              older={query}
            />
          ) : (
            <EmptyLog
              page={page}
              observed={job.observed}
              onClear={() => {
                setLevel(null);
                setText(null);
              }}
            />
          )
        }
      </QueryResult>
      {first?.run && (
        <p className={`soft ${classes["note"] ?? ""}`}>
          Times in {zoneName()}. Only lines about this run are shown; Weir keeps the newest{" "}
          {first.max_lines.toLocaleString("en-US")} of a run for {first.kept_days} days.
        </p>
      )}
    </Panel>
  );
}

/** Lines of a run that the page does not list: the job was started again, so the page is read again. */
function useNewRuns(
  page: LogPage | undefined,
  live: ReadonlyMap<string, readonly LogLine[]>,
  refetch: () => unknown,
) {
  const unlisted = page
    ? [...live.keys()].filter((run) => !page.runs.some(({ id }) => id === run)).join(" ")
    : "";
  useEffect(() => {
    if (unlisted) refetch();
  }, [unlisted, refetch]);
}

function ConnectionBadge({ following }: { following: boolean }) {
  const { state } = useConnection();
  const connected = state === "connected";
  return (
    <Badge tone={connected ? (following ? "good" : "idle") : "warn"} plain>
      {connected ? (following ? "Live" : "Not following") : "Not connected"}
    </Badge>
  );
}

function RunChoice({ page, onChange }: { page: LogPage; onChange: (run: string | null) => void }) {
  return (
    <Select
      aria-label="Run"
      allowDeselect={false}
      w={290}
      maw="100%"
      data={page.runs.map(({ id, generation, created_at }) => ({
        value: id,
        label: `Generation ${String(generation)}, ${shortTime(instant(created_at))}`,
      }))}
      value={page.run}
      onChange={(id) => {
        onChange(id === page.runs[0]?.id ? null : id);
      }}
    />
  );
}

function LevelChoice({ level, onChange }: { level: Level; onChange: (level: string | null) => void }) {
  return (
    <Select
      aria-label="Level"
      allowDeselect={false}
      w={180}
      data={[...LEVEL_CHOICES]}
      value={level}
      onChange={onChange}
    />
  );
}

function SearchInput({ value, onChange }: { value: string; onChange: (text: string | null) => void }) {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // Cleared elsewhere, as by Clear filters.
  if (value !== before) {
    setBefore(value);
    if (!value) setText("");
  }
  const submit = useDebouncedCallback((next: string) => {
    onChange(next || null);
  }, 300);
  return (
    <TextInput
      type="search"
      className={classes["search"] ?? ""}
      aria-label="Search log lines"
      placeholder="Search"
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        submit(event.currentTarget.value);
      }}
    />
  );
}
