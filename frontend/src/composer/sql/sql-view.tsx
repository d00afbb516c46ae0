/** A job document as SQL, or why it can't be shown so. */

import type { Ref } from "react";
import type { CheckedNode } from "../../api/types";
import { LoadError, Loading } from "../../ui/placeholders";
import { Panel } from "../../ui/page";
import { Editor, type EditorHandle } from "../editor";
import { ProblemList } from "../problem-list";
import type { DocumentHistory } from "../use-history";
import { sqlCompletions } from "./completion";
import { sqlLanguage } from "./language";
import { hasComments } from "./text";
import { useKnown } from "./use-known";
import type { SqlDocument } from "./use-sql-document";
import classes from "../composer.module.css";

interface SqlViewProps {
  sql: SqlDocument;
  history: DocumentHistory;
  nodes: readonly CheckedNode[];
  ref: Ref<EditorHandle>;
}

export function SqlView({ sql, history, nodes, ref }: SqlViewProps) {
  const known = useKnown(nodes);
  if (sql.text === null) return <NoSql sql={sql} />;
  return (
    <div className={classes["sql"]}>
      <Panel flush>
        <Editor
          ref={ref}
          text={sql.text}
          onChange={sql.type}
          history={history}
          problems={sql.problems.filter(({ shown }) => shown)}
          label="Job document, SQL"
          language={sqlLanguage}
          complete={(text, at, explicit) => sqlCompletions(text, at, explicit, known)}
        />
      </Panel>
      {sql.failed ? (
        <Panel>
          <LoadError title="Couldn't read the SQL" error={sql.failed} still="Your text is still here." />
        </Panel>
      ) : null}
      {hasComments(sql.text) && (
        <p className="soft" role="status">
          Comments in SQL aren&apos;t saved. Use the description.
        </p>
      )}
    </div>
  );
}

function NoSql({ sql: { refused, failed } }: { sql: SqlDocument }) {
  if (refused?.refusals.length)
    return (
      <Panel title="SQL can't show this job">
        <p>These parts have no SQL. Form and YAML show them.</p>
        <ul className={classes["reasons"]}>
          {refused.refusals.map(({ path, reason }) => (
            <li key={path}>
              <b>{path.split(".").join(" › ")}</b>: {reason}
            </li>
          ))}
        </ul>
      </Panel>
    );
  if (refused)
    return (
      <Panel title="Fix the problems in YAML first">
        <ProblemList problems={refused.problems} />
      </Panel>
    );
  return (
    <Panel>
      {failed ? (
        <LoadError title="Couldn't load the SQL" error={failed} still="Form and YAML still work." />
      ) : (
        <Loading title="Loading SQL…" />
      )}
    </Panel>
  );
}
