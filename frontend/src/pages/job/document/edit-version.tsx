import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useLayoutEffect, useRef, useState } from "react";
import { ApiError } from "../../../api/client";
import { useAddVersion, useJobDiff } from "../../../api/documents";
import type { Job, Version } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { Composer } from "../../../composer/composer";
import { useJobPositions } from "../../../composer/drawing/use-positions";
import { UndoRedo } from "../../../composer/undo-redo";
import { useDocument } from "../../../composer/use-document";
import { useHistory } from "../../../composer/use-history";
import { useSqlDocument } from "../../../composer/sql/use-sql-document";
import { VIEWS, viewOf, viewOfJob } from "../../../composer/view";
import { ChangedElsewhere } from "../../../drafts/changed-elsewhere";
import { ChangedMeanwhile } from "../../../drafts/changed-meanwhile";
import { DiscardDraft } from "../../../drafts/discard-draft";
import { asWritten } from "../../../drafts/line-diff";
import { withLineFeeds } from "../../../drafts/line-ends";
import { RestoredDraft } from "../../../drafts/restored-draft";
import type { Stored } from "../../../drafts/shared-draft";
import { useSharedDraft } from "../../../drafts/use-shared-draft";
import { useUrlState } from "../../../ui/url-state";
import { Badge } from "../../../ui/status";
import { DiffPanel } from "./diff-panel";
import { expectedOf } from "./impact";
import classes from "../../../composer/composer.module.css";

interface EditVersionProps {
  job: Job;
  /** the newest version that is known; it may come while one edits */
  newest: Version;
  onDone: () => void;
}

/** Editing creates a new version; its effect on the state is shown before saving. */
export default function EditVersion({ job, newest, onDone }: EditVersionProps) {
  const { slug } = useWorkspace();
  const place = `${slug}.job.${job.id}`;
  const draft = useSharedDraft(place, storedOf(newest));
  const { value: text, changed, newer } = draft;
  const positions = useJobPositions(job.id);
  const [usual] = useState(() => viewOfJob(job));
  const [viewName, setView] = useUrlState("view", usual);
  const view = viewOf(viewName);
  const [note, setNote] = useState("");
  const { problems, checked, failed, ready } = useDocument(text);
  const history = useHistory(text, draft.setValue, place);
  const sql = useSqlDocument(text, history, view === "sql");
  const [settled] = useDebouncedValue(text, 400);
  const base = draft.original.revision;
  const query = useJobDiff(job.id, settled, changed && ready, base);
  const save = useAddVersion(job.id);
  const diff = changed && settled === text && !query.isPlaceholderData ? query.data : undefined;
  const expected = expectedOf(diff);
  const savable = ready && sql.ready && expected !== null && !newer;
  const leave = () => {
    history.clear();
    onDone();
  };
  const discard = () => {
    draft.forget();
    leave();
  };
  const isRead = useRef(sql.ready);
  useLayoutEffect(() => {
    isRead.current = sql.ready;
  }, [sql.ready]);
  const submit = () => {
    if (expected === null) return;
    save.mutate(
      { document: text, note, expected, base, view },
      {
        onSuccess: (version) => {
          if (draft.saved(text, storedOf(version)) && isRead.current) leave();
        },
      },
    );
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
          {save.error && !newer && (
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
          <DiscardDraft changed={changed || sql.unread} onDiscard={discard}>
            Saved versions aren&apos;t affected.
          </DiscardDraft>
          <Button disabled={!savable} loading={save.isPending} onClick={submit}>
            Save version {newest.number + 1}
          </Button>
        </div>
      </div>
      <RestoredDraft restored={draft.restored} />
      <ChangedElsewhere draft={draft} />
      {!save.isPending && newer && (
        <ChangedMeanwhile
          draft={draft}
          what={`version ${String(newer.revision)}`}
          textOf={asWritten}
          onTakeTheirs={() => {
            draft.keepMine();
            history.setText(newer.value);
          }}
        />
      )}
      <DiffPanel
        changed={changed}
        diff={diff}
        error={ready && settled === text ? query.error : null}
        onRetry={() => void query.refetch()}
        running={job.desired === "running"}
      />
      <Composer
        text={text}
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

function storedOf({ number, document_text, created_by }: Version): Stored<string> {
  return { revision: number, value: withLineFeeds(document_text), by: created_by ?? "" };
}
