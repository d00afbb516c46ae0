import { Link } from "wouter";
import type { Mark } from "../api/types";
import { Panel } from "../ui/page";
import { QueryResult } from "../ui/query-result";
import { Time } from "../ui/time";
import { MARK_WORDS, markTone } from "./marks";
import classes from "./history.module.css";

interface MarkListProps {
  query: Parameters<typeof QueryResult<{ results: readonly Mark[] }>>[0]["query"];
}

/** What the marks on the charts are, the newest first. */
export function MarkList({ query }: MarkListProps) {
  return (
    <Panel title="Events in this range">
      <QueryResult query={query} what="events">
        {({ results }) => <Marks marks={results} />}
      </QueryResult>
    </Panel>
  );
}

function Marks({ marks }: { marks: readonly Mark[] }) {
  if (!marks.length) return <p className="soft">No deployments, restarts or alerts.</p>;
  return (
    <ul className={classes["marks"]} tabIndex={0} aria-label="Events in this range">
      {[...marks].reverse().map((mark, index) => (
        <li key={`${mark.at} ${mark.kind} ${mark.alert} ${String(index)}`}>
          <span className={classes["swatch"]} data-kind={mark.kind} data-tone={markTone(mark)} aria-hidden />
          <Time at={mark.at} />
          <strong>{MARK_WORDS[mark.kind]}</strong>
          <span className={classes["title"]}>
            {mark.alert ? <Link href={`/alerts?alert=${mark.alert}`}>{mark.title}</Link> : mark.title}
            {mark.until && (
              <>
                , until <Time at={mark.until} />
              </>
            )}
            {mark.open && ", not resolved"}
          </span>
        </li>
      ))}
    </ul>
  );
}
