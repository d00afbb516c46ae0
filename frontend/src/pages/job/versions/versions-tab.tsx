import { useVersions } from "../../../api/documents";
import type { Job, Version } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { QueryResult } from "../../../ui/query-result";
import { LoadMore } from "../../../ui/load-more";
import { Panel } from "../../../ui/page";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { Changes } from "../changes";
import { StartMenu } from "../header/start-menu";
import { Compare } from "./compare";
import { Restore } from "./restore";
import changeClasses from "../changes.module.css";
import classes from "./versions.module.css";

/** Versions newest first, each with what it changed, and the ways to start it or to go back to it. */
export function VersionsTab({ job }: { job: Job }) {
  const versions = useVersions(job.id, job.version);
  const listed = versions.data?.results ?? [];
  return (
    <>
      <Panel flush>
        <QueryResult query={versions} what="versions">
          {({ results }) =>
            results.map((version) => <OneVersion key={version.number} job={job} version={version} />)
          }
        </QueryResult>
        <LoadMore query={versions} />
      </Panel>
      {/* Of the list: until it is read again after a save, its newest is not the job's. */}
      {listed.length > 1 && <Compare key={listed[0]?.number} job={job} versions={listed} />}
    </>
  );
}

function OneVersion({ job, version }: { job: Job; version: Version }) {
  const [mayEdit, mayStart] = [useMay("edit"), useMay("start_jobs")];
  const latest = version.number === job.version;
  const running = version.number === job.running_version;
  return (
    <article className={changeClasses["version"]}>
      <div className={changeClasses["versionHead"]}>
        <strong>Version {version.number}</strong>
        {running && (
          <Badge tone="good" plain>
            Running
          </Badge>
        )}
        {latest && (
          <Badge tone="idle" plain>
            Latest
          </Badge>
        )}
        <span className="soft">
          <Time at={version.created_at} long /> {version.created_by && `by ${version.created_by}`}
        </span>
        {version.note && <span>“{version.note}”</span>}
        <span className={classes["actions"]}>
          {!latest && mayEdit && <Restore job={job} version={version} />}
          {!running && mayStart && (
            <StartMenu job={job} version={version.number} verb={verbOf(job, version)} secondary />
          )}
        </span>
      </div>
      {version.number === 1 ? (
        <p className="soft">First version.</p>
      ) : version.changes.length ? (
        <Changes changes={version.changes} />
      ) : (
        <p className="soft">No functional changes.</p>
      )}
      <details>
        <summary>Document</summary>
        <pre className={changeClasses["text"]} tabIndex={0}>
          {version.document_text}
        </pre>
      </details>
    </article>
  );
}

function verbOf({ running_version }: Job, { number }: Version): string {
  return `${running_version === null ? "Start" : "Restart with"} version ${String(number)}`;
}
