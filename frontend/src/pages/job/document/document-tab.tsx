import { Button } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useVersion } from "../../../api/documents";
import type { Job } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { useUrlState } from "../../../ui/url-state";
import { Icon } from "../../../ui/icons";
import { QueryResult } from "../../../ui/query-result";
import { Panel } from "../../../ui/page";
import { Loading } from "../../../ui/placeholders";
import { CopyButton } from "../../../ui/copy-button";
import classes from "../changes.module.css";

const EditVersion = lazy(() => import("./edit-version"));
const CheckSummary = lazy(() => import("./check-summary"));

/** The newest version's text, what it means, and its editing. */
export function DocumentTab({ job }: { job: Job }) {
  const version = useVersion(job.id, job.version);
  const [edit, setEdit] = useUrlState("edit", "");
  const mayEdit = useMay("edit");
  return (
    <QueryResult query={version} what="document">
      {(newest) => {
        const text = newest.document_text;
        if (edit === "1" && mayEdit) {
          return (
            <Suspense fallback={<Loading title="Loading editor…" />}>
              <EditVersion
                key={job.id}
                job={job}
                newest={newest}
                onDone={() => {
                  setEdit(null);
                }}
              />
            </Suspense>
          );
        }
        const button = (
          <Button
            variant="default"
            onClick={() => {
              setEdit("1");
            }}
            leftSection={<Icon name="edit" size={14} />}
          >
            Edit
          </Button>
        );
        return (
          <div className={classes["columns"]}>
            <Panel
              title={`Version ${String(newest.number)}`}
              aside={
                <span style={{ display: "flex", gap: 8 }}>
                  <CopyButton text={text} />
                  {mayEdit && button}
                </span>
              }
            >
              <pre
                className={classes["text"]}
                style={{ marginTop: 0 }}
                tabIndex={0}
                aria-label="Job document"
              >
                {text}
              </pre>
            </Panel>
            <Suspense fallback={<Loading title="Analyzing…" />}>
              <CheckSummary text={text} />
            </Suspense>
          </div>
        );
      }}
    </QueryResult>
  );
}
