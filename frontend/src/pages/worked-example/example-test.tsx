import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import {
  useCancelDocumentTest,
  useDocumentTestCheck,
  useDocumentTestRun,
  useTestDocument,
} from "../../api/document-tests";
import { isGone, isLive } from "../../api/job-tests";
import type { CheckResult, JobTestRun } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import type { CarriedStreams } from "../../composer/carried-streams";
import { syntaxProblems } from "../../composer/document-text";
import type { useDraft } from "../../drafts/text-draft";
import { UndoRedo } from "../../composer/undo-redo";
import { useHistory } from "../../composer/use-history";
import { Icon } from "../../ui/icons";
import { RequestError } from "../../ui/request-error";
import { DraftOutcome } from "../job/tests/draft-outcome";
import { fieldsOf } from "../job/tests/job-fields";
import { FaceChoice, TestFaces } from "../job/tests/test-faces";
import { setAt } from "../job/tests/test-model";
import classes from "../job/tests/tests.module.css";

interface ExampleTestProps {
  document: string;
  /** the document has no errors */
  isReady: boolean;
  streams: CarriedStreams;
  test: Pick<ReturnType<typeof useDraft>, "text" | "setText">;
  checked: CheckResult | undefined;
}

/** The test of an example: its records and expected rows, and what came when it was run. */
export function ExampleTest({ document, isReady, streams, test, checked }: ExampleTestProps) {
  const history = useHistory(test.text, test.setText);
  const mayRun = useMay("edit");
  const [face, setFace] = useState("table");
  const [settled] = useDebouncedValue(test.text, 300);
  const check = useDocumentTestCheck({ document, streams, test: settled });
  const start = useTestDocument();
  const problems = check.data?.problems ?? [];
  const syntax = syntaxProblems(test.text);
  const isChecked = settled === test.text && check.data !== undefined && !check.isPlaceholderData;
  const isValid = isChecked && !syntax.length && !problems.some(({ severity }) => severity === "error");
  const query = useDocumentTestRun(start.data?.id ?? null);
  const run = query.data ?? start.data;
  const isRemoved = isGone(query.error);
  return (
    <>
      <div className={classes["bar"]}>
        <h2>Records and expected rows</h2>
        <div className={classes["group"]}>
          <FaceChoice label="View of the test" face={face} setFace={setFace} />
          <UndoRedo history={history} />
          {mayRun ? (
            <Button
              disabled={!isReady || !isValid}
              loading={start.isPending || (isLive(run) && !isRemoved)}
              onClick={() => {
                start.mutate({ document, streams, test: test.text });
              }}
              leftSection={<Icon name="play" size={14} />}
            >
              Run on Spark
            </Button>
          ) : (
            <span className="soft">Running it requires the editor role.</span>
          )}
        </div>
      </div>
      <RequestError what="Couldn't run the example" error={start.error} />
      {run && (
        <Outcome
          run={run}
          isGone={isRemoved}
          isCurrent={start.variables?.document === document && start.variables.test === test.text}
          onAccept={(expect) => {
            history.setText(setAt(test.text, ["expect"], expect));
          }}
        />
      )}
      <TestFaces
        text={test.text}
        history={history}
        face={face}
        fields={fieldsOf(document, checked)}
        problems={problems}
        syntax={syntax}
        title="Problems of the test"
      />
    </>
  );
}

interface OutcomeProps {
  run: JobTestRun;
  isCurrent: boolean;
  isGone: boolean;
  onAccept: (expect: unknown) => void;
}

function Outcome({ run, isCurrent, isGone: isRemoved, onAccept }: OutcomeProps) {
  const cancel = useCancelDocumentTest();
  return (
    <DraftOutcome
      run={run}
      isCurrent={isCurrent}
      isGone={isRemoved}
      isCanceling={cancel.isPending}
      cancelError={cancel.error}
      onCancel={() => {
        cancel.mutate(run.id);
      }}
      onAccept={onAccept}
    />
  );
}
