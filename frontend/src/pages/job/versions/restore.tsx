import { Button } from "@mantine/core";
import { useState } from "react";
import { useAddVersion, useJobDiff } from "../../../api/documents";
import type { Job, JobDiff, Version } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";
import { RequestError } from "../../../ui/request-error";
import { Changes } from "../changes";

/** Saves the document of an earlier version as the newest: versions never change, so this is the way back. */
export function Restore({ job, version }: { job: Job; version: Version }) {
  const [opened, setOpened] = useState(false);
  const save = useAddVersion(job.id);
  // As of the question: a version that comes meanwhile is not what was agreed to be replaced.
  const [base, setBase] = useState(job.version);
  const next = base + 1;
  const { data: diff, error } = useJobDiff(job.id, version.document_text, opened, base);
  const close = () => {
    setOpened(false);
    save.reset();
  };
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setBase(job.version);
          setOpened(true);
        }}
      >
        Restore as new version
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        danger={false}
        title={`Restore version ${String(version.number)} as version ${String(next)}?`}
        verb={`Save version ${String(next)}`}
        busy={save.isPending}
        error={save.error}
        onConfirm={() => {
          save.mutate(
            {
              document: version.document_text,
              note: `Restores version ${String(version.number)}`,
              base,
              view: "",
            },
            { onSuccess: close },
          );
        }}
      >
        {diff && diff.changes.length > 0 && (
          <>
            <p>From version {base}:</p>
            <Changes changes={diff.changes} />
          </>
        )}
        {!diff && error ? (
          <RequestError what="Couldn't compare the versions" error={error} />
        ) : (
          <p className="soft">{diff ? `${EFFECTS[diff.outcome]} ${diff.note}` : "Comparing…"}</p>
        )}
      </Confirm>
    </>
  );
}

const EFFECTS: Readonly<Record<JobDiff["outcome"], string>> = {
  same_state: "The next start can resume the saved state.",
  new_generation: "The next start resets state and results. A running version isn't affected.",
  no_change: "It does the same as the latest version.",
  invalid: "This version has problems now, so it can't be saved. Edit a copy of its document.",
};
