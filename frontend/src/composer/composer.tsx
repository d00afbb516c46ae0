/** One document, two views: form and text. An edit in one shows in the other at once. */

import { useMemo, useRef } from "react";
import type { CheckResult } from "../api/types";
import { LoadError } from "../ui/placeholders";
import { Panel } from "../ui/page";
import type { Located } from "./document-text";
import { Editor, type EditorHandle } from "./editor";
import { CheckPanel } from "./check-panel";
import { Form } from "./form/form";
import { formProblem } from "./form-problem";
import { readOutline } from "./outline";
import { focusPath } from "./path-focus";
import classes from "./composer.module.css";

interface ComposerProps {
  text: string;
  onChange: (text: string) => void;
  view: "form" | "text";
  problems: readonly Located[];
  checked: CheckResult | undefined;
  failed: unknown;
}

export function Composer({ text, onChange, view, problems, checked, failed }: ComposerProps) {
  const editor = useRef<EditorHandle>(null);
  const form = useRef<HTMLDivElement>(null);
  const told = useMemo(() => inWordsOf(view, text, problems), [view, text, problems]);
  const goTo = ({ from, problem }: Located) => {
    if (view === "text") editor.current?.goTo(from);
    else focusPath(form.current, problem.path);
  };
  return (
    <div className={classes["columns"]}>
      {view === "text" ? (
        <Panel flush>
          <Editor
            ref={editor}
            text={text}
            onChange={onChange}
            problems={problems}
            label="Job document, YAML"
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
        <CheckPanel text={text} problems={told} checked={checked} steps={view === "text"} onGoTo={goTo} />
      )}
    </div>
  );
}

/** Beside the form problems speak of the form, beside the text of the document. */
function inWordsOf(view: ComposerProps["view"], text: string, problems: readonly Located[]) {
  const reading = readOutline(text);
  if (view === "text" || "unsupported" in reading) return problems;
  return problems.map((found) => ({ ...found, problem: formProblem(found.problem, reading.outline) }));
}
