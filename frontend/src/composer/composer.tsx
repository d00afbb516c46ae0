/** One document, three views: form, YAML, SQL. An edit in one shows in the others at once. */

import { yaml } from "@codemirror/lang-yaml";
import { useMemo, useRef } from "react";
import type { CheckedNode, CheckResult } from "../api/types";
import { LoadError } from "../ui/placeholders";
import { Panel } from "../ui/page";
import type { Located } from "./document-text";
import { Editor, type EditorHandle } from "./editor";
import { CheckPanel } from "./check-panel";
import { Form } from "./form/form";
import { formProblem } from "./form-problem";
import { readOutline } from "./outline";
import { focusPath } from "./path-focus";
import { SqlView } from "./sql/sql-view";
import type { SqlDocument } from "./sql/use-sql-document";
import type { View } from "./view";
import classes from "./composer.module.css";

interface ComposerProps {
  text: string;
  onChange: (text: string) => void;
  view: View;
  sql: SqlDocument;
  problems: readonly Located[];
  checked: CheckResult | undefined;
  failed: unknown;
}

const YAML = yaml();
const NO_NODES: readonly CheckedNode[] = [];

export function Composer({ text, onChange, view, sql, problems, checked, failed }: ComposerProps) {
  const editor = useRef<EditorHandle>(null);
  const form = useRef<HTMLDivElement>(null);
  const inSql = view === "sql" && sql.text !== null ? sql.problems : null;
  const shown = useMemo(() => inSql ?? inWordsOf(view, text, problems), [inSql, view, text, problems]);
  const goTo = ({ from, problem }: Located) => {
    if (view === "form") focusPath(form.current, problem.path);
    else editor.current?.goTo(from);
  };
  return (
    <div className={classes["columns"]}>
      {view === "sql" ? (
        <SqlView ref={editor} sql={sql} nodes={checked?.nodes ?? NO_NODES} />
      ) : view === "text" ? (
        <Panel flush>
          <Editor
            ref={editor}
            text={text}
            onChange={onChange}
            problems={problems}
            label="Job document, YAML"
            language={YAML}
          />
        </Panel>
      ) : (
        <div ref={form}>
          <Form
            text={text}
            onChange={onChange}
            problems={problems.map(({ problem }) => problem)}
            nodes={checked?.nodes ?? []}
          />
        </div>
      )}
      {failed && !checked ? (
        <Panel>
          <LoadError title="Couldn't validate the job" error={failed} still="Your draft is safe." />
        </Panel>
      ) : (
        <CheckPanel
          text={text}
          problems={shown}
          checked={checked}
          steps={view !== "form"}
          {...((view !== "sql" || inSql) && { onGoTo: goTo })}
        />
      )}
    </div>
  );
}

/** Beside the form problems speak of the form, beside a text of the document. */
function inWordsOf(view: ComposerProps["view"], text: string, problems: readonly Located[]) {
  const reading = readOutline(text);
  if (view !== "form" || "unsupported" in reading) return problems;
  return problems.map((found) => ({ ...found, problem: formProblem(found.problem, reading.outline) }));
}
