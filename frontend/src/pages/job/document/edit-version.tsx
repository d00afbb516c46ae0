import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useAddVersion, useJobDiff } from "../../../api/documents";
import type { Job } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { Composer } from "../../../composer/composer";
import { useDraft } from "../../../composer/draft";
import { rememberView, viewOfJob } from "../../../composer/made-in";
import { useJobPositions } from "../../../composer/drawing/use-positions";
import { UndoRedo } from "../../../composer/undo-redo";
import { useDocument } from "../../../composer/use-document";
import { useHistory } from "../../../composer/use-history";
import { useSqlDocument } from "../../../composer/sql/use-sql-document";
import { VIEWS, viewOf } from "../../../composer/view";
import { useUrlState } from "../../../ui/url-state";
import { Badge } from "../../../ui/status";
import { DiffPanel } from "./diff-panel";
import classes from "../../../composer/composer.module.css";

interface EditVersionProps {
  job: Job;
  original: string;
  onDone: () => void;
}

/** Editing creates a new version; its effect on the state is shown before saving. */
export default function EditVersion({ job, original, onDone }: EditVersionProps) {
  const { slug } = useWorkspace();
  const draft = useDraft(`${slug}.job.${job.id}.v${String(job.version)}`, original);
  const place = `${slug}.job.${job.id}`;
  const positions = useJobPositions(job.id);
  const [usual] = useState(() => viewOfJob(window.localStorage, place));
  const [viewName, setView] = useUrlState("view", usual);
  const view = viewOf(viewName);
  const [note, setNote] = useState("");
  const { problems, checked, failed, ready } = useDocument(draft.text);
  const history = useHistory(draft.text, draft.setText);
  const sql = useSqlDocument(draft.text, history.setText, view === "sql");
  const [settled] = useDebouncedValue(draft.text, 400);
  const changed = draft.text !== original;
  const query = useJobDiff(job.id, settled, changed && ready);
  const save = useAddVersion(job.id);
  const diff = changed && settled === draft.text && !query.isPlaceholderData ? query.data : undefined;
  const expected = diff?.outcome === "new_generation" ? ("new_generation" as const) : ("same_state" as const);
  const hasEffect = diff !== undefined && diff.outcome !== "invalid" && diff.outcome !== "no_change";
  const savable = ready && sql.ready && hasEffect;
  const finish = () => {
    rememberView(window.localStorage, place, view);
    draft.forget();
    onDone();
  };
  return (
    <>
      <div className={classes["bar"]}>
        <SegmentedControl
          aria-label="View"
          data={VIEWS.map(({ view: value, label }) => ({ value, label }))}
          value={view}
          onChange={setView}
        />
        <div className={classes["adders"]}>
          <UndoRedo history={history} />
          {save.error && (
            <span role="alert">
              <Badge tone="bad" plain>
                {save.error instanceof ApiError ? save.error.message : "Couldn't save the version"}
              </Badge>
            </span>
          )}
          <TextInput
            aria-label="Change note"
            placeholder="Change note (optional)"
            value={note}
            onChange={(e) => {
              setNote(e.currentTarget.value);
            }}
            w={220}
          />
          <Button variant="default" onClick={finish}>
            Discard draft
          </Button>
          <Button
            disabled={!savable}
            loading={save.isPending}
            onClick={() => {
              save.mutate({ document: draft.text, note, expected }, { onSuccess: finish });
            }}
          >
            Save version {job.version + 1}
          </Button>
        </div>
      </div>
      <DiffPanel changed={changed} diff={diff} running={job.desired === "running"} />
      <Composer
        text={draft.text}
        history={history}
        positions={positions}
        view={view}
        sql={sql}
        problems={problems}
        checked={checked}
        failed={failed}
      />
    </>
  );
}
