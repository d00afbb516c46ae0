import { Select } from "@mantine/core";
import { useState } from "react";
import { useJobDiff } from "../../../api/documents";
import type { Job, Version } from "../../../api/types";
import { LineDiff } from "../../../drafts/line-diff-view";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { Changes } from "../changes";
import classes from "./versions.module.css";

/** The difference between any two versions: in sentences, and line by line. */
export function Compare({ job, versions }: { job: Job; versions: readonly Version[] }) {
  const [before, setBefore] = useState(versions[1]?.number ?? 1);
  const [after, setAfter] = useState(versions[0]?.number ?? 1);
  const text = (number: number) => versions.find((one) => one.number === number)?.document_text ?? "";
  const diff = useJobDiff(job.id, text(after), before !== after, before);
  const choice = (label: string, value: number, onChange: (number: number) => void) => (
    <Select
      label={label}
      allowDeselect={false}
      data={versions.map(({ number }) => ({ value: String(number), label: `Version ${String(number)}` }))}
      value={String(value)}
      onChange={(number) => {
        onChange(Number(number));
      }}
    />
  );
  return (
    <Panel title="Compare versions">
      <div className={classes["choice"]}>
        {choice("From", before, setBefore)}
        {choice("To", after, setAfter)}
      </div>
      {before === after ? (
        <p className="soft">Select two different versions.</p>
      ) : (
        <>
          <QueryResult
            query={diff.isPlaceholderData ? { ...diff, data: undefined } : diff}
            what="differences"
          >
            {({ changes, problems }) =>
              changes.length ? (
                <Changes changes={changes} />
              ) : (
                <p className="soft">
                  {problems.length
                    ? `Version ${String(after)} has problems now, so only its text is compared.`
                    : "No functional changes."}
                </p>
              )
            }
          </QueryResult>
          <LineDiff before={text(before)} after={text(after)} label="Document, line by line" />
        </>
      )}
    </Panel>
  );
}
