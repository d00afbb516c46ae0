/** One document, four views: form, YAML, SQL, drawing. An edit in one shows in the others at once. */

import { yaml } from "@codemirror/lang-yaml";
import { lazy, Suspense, useMemo, useRef, useState, type KeyboardEvent, type SyntheticEvent } from "react";
import type { CheckedNode, CheckResult, Problem } from "../api/types";
import { Loading, LoadError } from "../ui/placeholders";
import { Panel } from "../ui/page";
import { useCarriedStreams } from "./carried-streams";
import type { Located } from "./document-text";
import type { DrawingHandle } from "./drawing/drawing-props";
import type { Previewed } from "./drawing/preview-facts";
import type { KeptPositions } from "./drawing/use-positions";
import { useRenamedPositions } from "./drawing/use-renamed-positions";
import { Editor, type EditorHandle } from "./editor";
import { CheckPanel } from "./check-panel";
import { Form } from "./form/form";
import { formProblem } from "./form-problem";
import { readOutline } from "./outline";
import { focusPath } from "./path-focus";
import { nodeAt } from "./preview/node-at";
import { PreviewPanel } from "./preview/preview-panel";
import { UnreadSql } from "./sql/unread-sql";
import { SqlView } from "./sql/sql-view";
import type { SqlDocument } from "./sql/use-sql-document";
import type { DocumentHistory } from "./use-history";
import type { View } from "./view";
import classes from "./composer.module.css";

interface ComposerProps {
  text: string;
  history: DocumentHistory;
  /** of the drawing: of the job, or of its draft */
  positions: KeptPositions;
  view: View;
  sql: SqlDocument;
  problems: readonly Located[];
  checked: CheckResult | undefined;
  failed: unknown;
}

const Drawing = lazy(() => import("./drawing/drawing"));

const YAML = yaml();
const NO_NODES: readonly CheckedNode[] = [];

export function Composer(props: ComposerProps) {
  const { text, history, positions, view, sql, problems, checked, failed } = props;
  const editor = useRef<EditorHandle>(null);
  const form = useRef<HTMLDivElement>(null);
  const drawing = useRef<DrawingHandle>(null);
  const carried = useCarriedStreams();
  const [node, setNode] = useState<string | null>(null);
  const [previewed, setPreviewed] = useState<Previewed | null>(null);
  useRenamedPositions(text, positions.rename);
  const nodes = checked?.nodes ?? NO_NODES;
  const isSound = checked !== undefined && problems.every(({ problem }) => problem.severity !== "error");
  const select = ({ target }: SyntheticEvent) => {
    const found = nodeAt(target);
    if (found !== null && nodes.some(({ name }) => name === found)) setNode(found);
  };
  const inSql = view === "sql" && sql.text !== null ? sql.problems : null;
  const shown = useMemo(() => inSql ?? inWordsOf(view, text, problems), [inSql, view, text, problems]);
  const goTo = ({ from, problem }: Located) => {
    if (view === "form") focusPath(form.current, problem.path);
    else if (view === "drawing") drawing.current?.goTo(problem.path);
    else editor.current?.goTo(from);
  };
  const check =
    failed && !checked ? (
      <Panel>
        <LoadError title="Couldn't validate the job" error={failed} still="Your draft is safe." />
      </Panel>
    ) : (
      <CheckPanel
        text={text}
        problems={shown}
        checked={checked}
        steps={view === "text" || view === "sql"}
        {...((view !== "sql" || inSql) && { onGoTo: goTo })}
        {...(view === "drawing" && { isPlaced: isDrawn })}
      />
    );
  return (
    <>
      {sql.unread && <UnreadSql sql={sql} isShown={view === "sql"} />}
      <div
        className={classes["columns"]}
        onKeyDown={(event) => {
          undoByKey(event, history);
        }}
        onClickCapture={select}
        onFocusCapture={select}
      >
        {view === "drawing" ? (
          <Suspense fallback={<Loading title="Loading drawing…" />}>
            <Drawing
              ref={drawing}
              text={text}
              onChange={history.setText}
              problems={problems.map(({ problem }) => problem)}
              nodes={nodes}
              isSound={isSound}
              positions={positions}
              previewed={previewed}
              aside={check}
            />
          </Suspense>
        ) : (
          <>
            {view === "sql" ? (
              <SqlView ref={editor} sql={sql} history={history} nodes={nodes} />
            ) : view === "text" ? (
              <Panel flush>
                <Editor
                  ref={editor}
                  text={text}
                  onChange={history.setText}
                  history={history}
                  problems={problems}
                  label="Job document, YAML"
                  language={YAML}
                />
              </Panel>
            ) : (
              <div ref={form}>
                <Form
                  text={text}
                  onChange={history.setText}
                  problems={problems.map(({ problem }) => problem)}
                  nodes={nodes}
                />
              </div>
            )}
            {check}
          </>
        )}
      </div>
      {carried === null && (
        <PreviewPanel text={text} nodes={nodes} isSound={isSound} node={node} onPreview={setPreviewed} />
      )}
    </>
  );
}

/** The drawing has no place for the name and the settings of a job. */
function isDrawn({ path }: Problem): boolean {
  return path.length > 1 && ["sources", "steps", "outputs"].includes(path[0] ?? "");
}

/** Ctrl-Z and Ctrl-Y where no text is edited: a field or an editor has its own. */
function undoByKey(event: KeyboardEvent, { undo, redo }: DocumentHistory): void {
  const target = event.target as HTMLElement;
  const key = event.key.toLowerCase();
  const isText =
    target instanceof HTMLInputElement
      ? !target.readOnly && !["checkbox", "radio"].includes(target.type)
      : target instanceof HTMLTextAreaElement;
  const isEdited = target.isContentEditable || isText;
  if (event.defaultPrevented || isEdited || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "z" && !event.shiftKey) undo();
  else redo();
}

/** Beside the form and the drawing problems speak of the form, beside a text of the document. */
function inWordsOf(view: ComposerProps["view"], text: string, problems: readonly Located[]) {
  const reading = readOutline(text);
  if (view === "text" || view === "sql" || "unsupported" in reading) return problems;
  return problems.map((found) => ({ ...found, problem: formProblem(found.problem, reading.outline) }));
}
