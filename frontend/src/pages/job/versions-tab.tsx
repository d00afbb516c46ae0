import { useVersions } from "../../api/documents";
import type { Job, Version } from "../../api/types";
import { QueryResult } from "../../ui/query-result";
import { LoadMore } from "../../ui/load-more";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { Time } from "../../ui/time";
import { Changes } from "./changes";
import classes from "./changes.module.css";

/** Versions newest first, each with what it changed. They never change themselves. */
export function VersionsTab({ job }: { job: Job }) {
  const versions = useVersions(job.id);
  return (
    <Panel flush>
      <QueryResult query={versions} what="versions">
        {({ results }) =>
          results.map((version) => (
            <OneVersion key={version.number} version={version} current={version.number === job.version} />
          ))
        }
      </QueryResult>
      <LoadMore query={versions} />
    </Panel>
  );
}

function OneVersion({ version, current }: { version: Version; current: boolean }) {
  return (
    <article className={classes["version"]}>
      <div className={classes["versionHead"]}>
        <strong>Version {version.number}</strong>
        {current && (
          <Badge tone="good" plain>
            Latest
          </Badge>
        )}
        <span className="soft">
          <Time at={version.created_at} long /> {version.created_by && `by ${version.created_by}`}
        </span>
        {version.note && <span>“{version.note}”</span>}
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
        <pre className={classes["text"]} tabIndex={0}>
          {version.document_text}
        </pre>
      </details>
    </article>
  );
}
