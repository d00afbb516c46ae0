import { Button, SegmentedControl } from "@mantine/core";
import { useWorkspace } from "../../api/workspace-context";
import { Composer } from "../../composer/composer";
import { ChangedElsewhere } from "../../drafts/changed-elsewhere";
import { useLeave } from "../../drafts/discard-draft";
import { useDraft } from "../../drafts/text-draft";
import { useDraftPositions } from "../../composer/drawing/use-positions";
import { useSqlDocument } from "../../composer/sql/use-sql-document";
import { UndoRedo } from "../../composer/undo-redo";
import { useDocument } from "../../composer/use-document";
import { useHistory } from "../../composer/use-history";
import { VIEWS, viewOf } from "../../composer/view";
import type { WorkedExample } from "../../composer/worked-examples";
import { useUrlState } from "../../ui/url-state";
import { ExampleTest } from "./example-test";
import classes from "../../composer/composer.module.css";

/** SQL is left out: an example's streams are in no catalog that completes it. */
const OPEN_VIEWS = VIEWS.filter(({ view }) => view !== "sql");

/** An example as a draft in this browser: its document, and its test below. */
export function OpenExample({ name, example }: { name: string; example: WorkedExample }) {
  const { slug } = useWorkspace();
  const place = `${slug}.example.${name}`;
  const document = useDraft(`${place}.document`, example.document);
  const test = useDraft(`${place}.test`, example.test);
  const positions = useDraftPositions(place);
  const history = useHistory(document.text, document.setText);
  const [viewName, setView] = useUrlState("view", "text");
  const view = viewOf(viewName);
  const sql = useSqlDocument(document.text, history, false);
  const { problems, checked, failed, ready } = useDocument(document.text, example.streams);
  const back = () => {
    document.forget();
    test.forget();
    history.clear();
    positions.forget();
  };
  const { leave, question } = useLeave(true, back, "The example itself isn't affected.");
  return (
    <>
      {question}
      <ChangedElsewhere draft={document.isElsewhere ? document : test} />
      <div className={classes["bar"]}>
        <SegmentedControl
          aria-label="View"
          data={OPEN_VIEWS.map(({ view: value, label }) => ({ value, label }))}
          value={view}
          onChange={setView}
        />
        <div className={classes["adders"]}>
          <UndoRedo history={history} />
          {(document.kept || test.kept) && (
            <Button variant="default" onClick={leave}>
              Back to the original
            </Button>
          )}
        </div>
      </div>
      <Composer
        text={document.text}
        history={history}
        positions={positions}
        view={view}
        sql={sql}
        problems={problems}
        checked={checked}
        failed={failed}
      />
      <ExampleTest
        document={document.text}
        isReady={ready}
        streams={example.streams}
        test={test}
        checked={checked}
      />
    </>
  );
}
