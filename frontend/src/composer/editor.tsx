/** A document as text: CodeMirror with its language, problems where they are. */

import { autocompletion, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Annotation, EditorState, type Extension, Transaction } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers, type KeyBinding } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import type { Located } from "./document-text";
import { changeBetween } from "./history";
import type { DocumentHistory } from "./use-history";
import classes from "./editor.module.css";

export interface EditorHandle {
  /** puts the cursor there and scrolls to it */
  goTo: (at: number) => void;
}

interface EditorProps {
  text: string;
  onChange?: (text: string) => void;
  problems: readonly Located[];
  label: string;
  language: Extension;
  /** completions at a position; `explicit`: asked for by a key */
  complete?: (text: string, at: number, explicit: boolean) => CompletionResult | null;
  /** undo and redo of more than this editor; left out, it has its own */
  history?: DocumentHistory;
  ref?: Ref<EditorHandle>;
}

/** Marks a change that the page makes, not the person in the editor. */
const fromOutside = Annotation.define<boolean>();

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--accent-text)" },
  { tag: tags.keyword, color: "var(--accent-text)" },
  { tag: tags.standard(tags.name), color: "var(--accent-text)", fontWeight: "600" },
  { tag: tags.comment, color: "var(--text-soft)", fontStyle: "italic" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: "var(--text-soft)" },
]);

function diagnostics(problems: readonly Located[], length: number): Diagnostic[] {
  return problems.map(({ from, to, problem }) => ({
    from: Math.min(from, length),
    to: Math.min(Math.max(to, from), length),
    severity: problem.severity,
    source: problem.code,
    message: problem.hint ? `${problem.message}\n${problem.hint}` : problem.message,
  }));
}

/** Ctrl-Space and typing offer; Tab is left to the page, which moves the focus. */
function completion(source: { readonly current: Pick<EditorProps, "complete"> }): Extension {
  return autocompletion({
    icons: false,
    override: [
      ({ state, pos, explicit }) => source.current.complete?.(state.doc.toString(), pos, explicit) ?? null,
    ],
  });
}

function undoKeys(source: { readonly current: { shared: DocumentHistory | undefined } }): KeyBinding[] {
  const undo = () => {
    source.current.shared?.undo();
    return true;
  };
  const redo = () => {
    source.current.shared?.redo();
    return true;
  };
  return [
    { key: "Mod-z", run: undo, preventDefault: true },
    { key: "Mod-y", mac: "Mod-Shift-z", run: redo, preventDefault: true },
    { linux: "Ctrl-Shift-z", run: redo, preventDefault: true },
  ];
}

export function Editor({
  text,
  onChange,
  problems,
  label,
  language,
  complete,
  history: shared,
  ref,
}: EditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const start = useRef({ text, onChange, label, language, complete, shared });

  useEffect(() => {
    start.current.onChange = onChange;
    start.current.complete = complete;
    start.current.shared = shared;
  }, [onChange, complete, shared]);

  useEffect(() => {
    const parent = box.current;
    if (!parent) return;
    const first = start.current;
    const made = new EditorView({
      parent,
      state: EditorState.create({
        doc: first.text,
        extensions: [
          lineNumbers(),
          first.shared ? keymap.of(undoKeys(start)) : [history(), keymap.of(historyKeymap)],
          highlightActiveLine(),
          indentOnInput(),
          bracketMatching(),
          first.language,
          syntaxHighlighting(colours),
          lintGutter(),
          first.complete ? completion(start) : [],
          keymap.of([...defaultKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ "aria-label": first.label, tabindex: "0" }),
          EditorState.readOnly.of(!first.onChange),
          EditorView.updateListener.of((update) => {
            const isTyped = !update.transactions.some((one) => one.annotation(fromOutside));
            if (update.docChanged && isTyped) start.current.onChange?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const now = editor.state.doc.toString();
    if (now === text) return;
    // It isn't typed here: no edit of this editor's own, which another undo would take back again.
    editor.dispatch({
      changes: changeBetween(now, text),
      annotations: [fromOutside.of(true), Transaction.addToHistory.of(false)],
    });
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnostics(problems, editor.state.doc.length)));
  }, [problems]);

  useImperativeHandle(
    ref,
    () => ({
      goTo: (at) => {
        view.current?.dispatch({
          selection: { anchor: Math.min(at, view.current.state.doc.length) },
          scrollIntoView: true,
        });
        view.current?.focus();
      },
    }),
    [],
  );

  return <div ref={box} className={classes["editor"]} />;
}
