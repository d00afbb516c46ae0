/** One document, two views: form and text. An edit in one shows in the other at once. */

import { useRef } from "react";
import type { Checked } from "../api/types";
import { Failing } from "../ui/states";
import { Panel } from "../ui/page";
import type { Located } from "./document-text";
import { Editor, type EditorHandle } from "./editor";
import { Findings } from "./findings";
import { Form } from "./form/form";
import { goToPlace } from "./places";
import classes from "./composer.module.css";

interface ComposerProps {
  text: string;
  onChange: (text: string) => void;
  view: "form" | "text";
  problems: readonly Located[];
  checked: Checked | undefined;
  failed: unknown;
}

export function Composer({ text, onChange, view, problems, checked, failed }: ComposerProps) {
  const editor = useRef<EditorHandle>(null);
  const form = useRef<HTMLDivElement>(null);
  const goTo = ({ from, problem }: Located) => {
    if (view === "text") editor.current?.goTo(from);
    else goToPlace(form.current, problem.path);
  };
  return (
    <div className={classes["columns"]}>
      {view === "text" ? (
        <Panel flush><Editor ref={editor} text={text} onChange={onChange} problems={problems} label="Job document, YAML" /></Panel>
      ) : (
        <div ref={form}><Form text={text} onChange={onChange} problems={problems.map(({ problem }) => problem)} nodes={checked?.nodes ?? []} /></div>
      )}
      {failed && !checked ? (
        <Panel><Failing title="The document could not be checked" error={failed} still="You can go on typing; nothing is lost." /></Panel>
      ) : (
        <Findings text={text} problems={problems} checked={checked} steps={view === "text"} onGoTo={goTo} />
      )}
    </div>
  );
}
