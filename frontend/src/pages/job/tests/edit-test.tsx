import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useCheck } from "../../../api/documents";
import {
  isGone,
  useCancelTestRun,
  useJobTest,
  useRunDraft,
  useSaveTest,
  useTestCheck,
  useTestRun,
} from "../../../api/job-tests";
import type { CheckResult, Job, JobTestRun } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { syntaxProblems } from "../../../composer/document-text";
import { ChangedElsewhere } from "../../../drafts/changed-elsewhere";
import { ChangedMeanwhile } from "../../../drafts/changed-meanwhile";
import { DiscardDraft } from "../../../drafts/discard-draft";
import { asWritten } from "../../../drafts/line-diff";
import { withLineFeeds } from "../../../drafts/line-ends";
import { RestoredDraft } from "../../../drafts/restored-draft";
import { readDraft, writeDraft } from "../../../drafts/shared-draft";
import { useSharedDraft } from "../../../drafts/use-shared-draft";
import { UndoRedo } from "../../../composer/undo-redo";
import { useHistory } from "../../../composer/use-history";
import { Icon } from "../../../ui/icons";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Capture } from "./capture";
import { DraftOutcome } from "./draft-outcome";
import { fieldsOf, type JobFields } from "./job-fields";
import { FaceChoice, TestFaces } from "./test-faces";
import { freshTest, setAt } from "./test-model";
import classes from "./tests.module.css";

interface EditTestProps {
  job: Job;
  /** id of a test; or "new", or "capture" */
  which: string;
  onDone: () => void;
  /** a new test was made while something more was written: that is its draft now */
  onCreated: (id: string) => void;
}

/** Writes a test: of live records, anew, or one that is there. */
export default function EditTest(props: EditTestProps) {
  const check = useCheck(props.job.document_text);
  return (
    <QueryResult query={check} what="fields of the job">
      {(checked) => <OfCheckedJob {...props} checked={checked} />}
    </QueryResult>
  );
}

function OfCheckedJob({ job, which, checked, onDone, onCreated }: EditTestProps & { checked: CheckResult }) {
  const { slug } = useWorkspace();
  const fields = fieldsOf(job.document_text, checked);
  const [kept] = useState(() => readDraft<string>(window.localStorage, draftName(slug, job, which)));
  const [captured, setCaptured] = useState<string>();
  if (!fields) return <Empty title="Can't read the document">Fix its YAML first, then write the test.</Empty>;
  if (which === "capture" && !kept && captured === undefined)
    return <Capture fields={fields} onText={setCaptured} onCancel={onDone} />;
  if (which === "new" || which === "capture") {
    const source = Object.keys(fields.sources)[0] ?? "source";
    const output = Object.keys(fields.outputs)[0] ?? "live";
    const fresh = which === "capture" ? "" : freshTest(source, output, "new test");
    return (
      <TestEditor
        job={job}
        which={which}
        fields={fields}
        saved={null}
        original={kept?.original.value ?? fresh}
        captured={captured}
        onDone={onDone}
        onCreated={onCreated}
      />
    );
  }
  return <SavedTest job={job} id={which} fields={fields} onDone={onDone} onCreated={onCreated} />;
}

function SavedTest({
  job,
  id,
  fields,
  onDone,
  onCreated,
}: {
  job: Job;
  id: string;
  fields: JobFields;
  onDone: () => void;
  onCreated: (id: string) => void;
}) {
  const query = useJobTest(job.id, id);
  return (
    <QueryResult query={query} what="test">
      {(test) => (
        <TestEditor
          job={job}
          which={id}
          fields={fields}
          saved={test}
          original={withLineFeeds(test.document_text)}
          onDone={onDone}
          onCreated={onCreated}
        />
      )}
    </QueryResult>
  );
}

function draftName(workspace: string, job: Job, test: string): string {
  return `${workspace}.job.${job.id}.test.${test}`;
}

interface TestEditorProps {
  job: Job;
  which: string;
  fields: JobFields;
  saved: { id: string; revision: number; changed_by: string } | null;
  original: string;
  /** of live records, a moment ago */
  captured?: string | undefined;
  onDone: () => void;
  onCreated: (id: string) => void;
}

function TestEditor({ job, which, fields, saved, original, captured, onDone, onCreated }: TestEditorProps) {
  const { slug } = useWorkspace();
  const stored = { revision: saved?.revision ?? 0, value: original, by: saved?.changed_by ?? "" };
  const draft = useSharedDraft(draftName(slug, job, which), stored, captured);
  const { value: text, newer } = draft;
  const history = useHistory(text, draft.setValue);
  const [face, setFace] = useState("table");
  const [settled] = useDebouncedValue(text, 300);
  const check = useTestCheck(job.id, settled);
  const save = useSaveTest(job.id);
  const run = useRunDraft(job.id);
  const problems = check.data?.problems ?? [];
  const syntax = syntaxProblems(text);
  const isChecked = settled === text && check.data !== undefined && !check.isPlaceholderData;
  const isValid = isChecked && !syntax.length && !problems.some(({ severity }) => severity === "error");
  const failure = save.error ?? run.error;
  const finish = () => {
    draft.forget();
    onDone();
  };
  return (
    <>
      <RestoredDraft restored={draft.restored} />
      <ChangedElsewhere draft={draft} />
      <div className={classes["bar"]}>
        <FaceChoice label="View" face={face} setFace={setFace} />
        <div className={classes["group"]}>
          <UndoRedo history={history} />
          {failure && !newer && (
            <span role="alert">
              <Badge tone="bad" plain>
                {failure instanceof ApiError ? failure.message : "Couldn't save or run the test"}
              </Badge>
            </span>
          )}
          <DiscardDraft changed={draft.changed || !saved} onDiscard={finish}>
            {saved ? "The saved test isn't affected." : "Saved tests aren't affected."}
          </DiscardDraft>
          <Button
            variant="default"
            disabled={!isValid}
            loading={run.isPending}
            onClick={() => {
              run.mutate(text);
            }}
            leftSection={<Icon name="play" size={14} />}
          >
            Run without saving
          </Button>
          <Button
            disabled={!isValid || newer !== null}
            loading={save.isPending}
            onClick={() => {
              const test = saved && { id: saved.id, revision: draft.original.revision };
              save.mutate(
                { text, test },
                {
                  onSuccess: ({ id, revision, document_text, changed_by }) => {
                    const now = { revision, value: withLineFeeds(document_text), by: changed_by };
                    if (test) {
                      if (draft.saved(text, now)) onDone();
                      return;
                    }
                    const rest = draft.created(text);
                    if (!rest) {
                      onDone();
                      return;
                    }
                    writeDraft(window.localStorage, draftName(slug, job, id), { ...rest, original: now });
                    onCreated(id);
                  },
                },
              );
            }}
          >
            Save test
          </Button>
        </div>
      </div>
      {newer && !save.isPending && (
        <ChangedMeanwhile
          draft={draft}
          what="test"
          textOf={asWritten}
          onTakeTheirs={() => {
            draft.keepMine();
            history.setText(newer.value);
          }}
        />
      )}
      {run.data && (
        <DraftRun
          job={job}
          run={run.data}
          isCurrent={run.variables === text}
          onAccept={(expect) => {
            history.setText(setAt(text, ["expect"], expect));
          }}
        />
      )}
      <TestFaces
        text={text}
        history={history}
        face={face}
        fields={fields}
        problems={problems}
        syntax={syntax}
        title="Problems"
      />
    </>
  );
}

interface DraftRunProps {
  job: Job;
  run: JobTestRun;
  isCurrent: boolean;
  onAccept: (expect: unknown) => void;
}

/** What an unsaved test of a job gave. */
function DraftRun({ job, run: first, isCurrent, onAccept }: DraftRunProps) {
  const query = useTestRun(job.id, first.id);
  const cancel = useCancelTestRun(job.id);
  return (
    <DraftOutcome
      run={query.data ?? first}
      isCurrent={isCurrent}
      isGone={isGone(query.error)}
      isCanceling={cancel.isPending}
      cancelError={cancel.error}
      onCancel={() => {
        cancel.mutate(first.id);
      }}
      onAccept={onAccept}
    />
  );
}
