/** Rows of every step before the job is started, beside all views of the document. */

import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import { ownValue } from "../../api/own-value";
import { isWaiting, usePreview } from "../../api/previews";
import type { CheckedNode } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Ago } from "../../ui/time";
import { Empty, LoadError, Loading } from "../../ui/placeholders";
import type { Previewed } from "../drawing/preview-facts";
import { readOutline } from "../outline";
import { NEWEST, missing, requested, type Choice } from "./choices";
import { PreviewResult } from "./preview-result";
import { SourceChoices } from "./source-choices";
import classes from "./preview.module.css";

/** Short, since each ms is waited for: a preview asked too early is replaced within tens of ms. */
export const PREVIEW_PAUSE_MS = 150;

/** By source, where its records come from. */
type Choices = Readonly<Record<string, Choice>>;

interface PreviewPanelProps {
  text: string;
  nodes: readonly CheckedNode[];
  /** whether the check found no errors */
  isSound: boolean;
  /** the node that is selected in another view; null: none */
  node: string | null;
  /** gets what is shown, and null when nothing is */
  onPreview: (previewed: Previewed | null) => void;
}

export function PreviewPanel(props: PreviewPanelProps) {
  const [isOpen, setOpen] = useState(false);
  // Kept while it is closed: records may have been typed.
  const [choices, setChoices] = useState<Choices>({});
  if (!useMay("edit")) return null;
  return (
    <Panel
      title="Preview"
      aside={
        <Button
          variant="default"
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          {isOpen ? "Close preview" : "Preview rows"}
        </Button>
      }
    >
      {isOpen ? (
        <OpenPreview {...props} choices={choices} setChoices={setChoices} />
      ) : (
        <p className="soft">See the rows of each step for records of your streams. Nothing is written.</p>
      )}
    </Panel>
  );
}

interface OpenPreviewProps extends PreviewPanelProps {
  choices: Choices;
  setChoices: (choices: Choices) => void;
}

function OpenPreview({ text, nodes, isSound, node, onPreview, choices, setChoices }: OpenPreviewProps) {
  const sources = useMemo(() => nodes.filter(({ op }) => op === "source").map(({ name }) => name), [nodes]);
  const streams = useMemo(() => streamsOf(text, sources), [text, sources]);
  const [chosen, setChosen] = useState<{ reference: string; node: string | null } | null>(null);
  const asked = useMemo(() => ({ text, sources: requested(sources, choices) }), [text, sources, choices]);
  const [settled] = useDebouncedValue(asked, PREVIEW_PAUSE_MS);
  const isComplete = sources.every((name) => missing(ownValue(choices, name) ?? NEWEST) === null);
  const isEnabled = isSound && isComplete && sources.length > 0;
  const preview = usePreview(settled.text, settled.sources, isEnabled);
  // What was chosen here counts until another node is selected in the view above.
  const selected = chosen && chosen.node === node ? chosen.reference : node;
  const { isFetching } = preview;
  const played = preview.data && !isWaiting(preview.data) ? preview.data : null;
  // After a canceled or incomplete question, the rows are those of the one before.
  const isOlder = preview.isPlaceholderData;
  const isStale = isFetching || isOlder || !isEnabled || settled !== asked;
  useEffect(() => {
    onPreview(played && { preview: played, isStale });
  }, [played, isStale, onPreview]);
  useEffect(
    () => () => {
      onPreview(null);
    },
    [onPreview],
  );
  return (
    <div className={classes["preview"]}>
      {sources.length > 0 && (
        <details className={classes["input"]}>
          <summary>Input records</summary>
          <SourceChoices
            sources={streams}
            choices={choices}
            onChange={(name, choice) => {
              setChoices({ ...choices, [name]: choice });
            }}
          />
        </details>
      )}
      <div className={classes["bar"]}>
        <span role="status" className="soft">
          {isFetching ? "Playing…" : stateText(isSound, isComplete, sources.length, isOlder)}
        </span>
        {isFetching ? (
          <Button variant="default" size="compact-sm" onClick={preview.cancel}>
            Cancel
          </Button>
        ) : (
          <>
            <Button
              variant="subtle"
              size="compact-sm"
              disabled={!isEnabled}
              leftSection={<Icon name="refresh" size={14} />}
              onClick={() => void preview.refetch()}
            >
              Run again
            </Button>
            <Button variant="subtle" size="compact-sm" disabled={!isEnabled} onClick={preview.readAgain}>
              Read newest again
            </Button>
            {played && (
              <span className="soft">
                Records read <Ago at={played.read_at} />
              </span>
            )}
          </>
        )}
      </div>
      {preview.error && !isFetching ? (
        <LoadError title="Couldn't preview the job" error={preview.error} still="Your draft is safe." />
      ) : preview.data && isWaiting(preview.data) ? (
        <Loading title="Waiting for an engine…">{preview.data.waiting} Then the preview runs.</Loading>
      ) : preview.data ? (
        <div className={isStale ? classes["stale"] : undefined} aria-busy={isFetching}>
          <PreviewResult
            preview={preview.data}
            nodes={nodes}
            selected={selected}
            onSelect={(reference) => {
              setChosen({ reference, node });
            }}
          />
        </div>
      ) : isFetching ? (
        <Loading title="Reading records and playing the job…" />
      ) : (
        isEnabled && <Empty title="No preview yet">Run it again to see the rows.</Empty>
      )}
    </div>
  );
}

/** The streams that the sources read; empty where the form can't read the text. */
function streamsOf(text: string, sources: readonly string[]): { name: string; stream: string }[] {
  const reading = readOutline(text);
  const rows = "unsupported" in reading ? [] : reading.outline.sources;
  return sources.map((name) => ({ name, stream: rows.find((row) => row.name === name)?.of ?? "" }));
}

function stateText(isSound: boolean, isComplete: boolean, sources: number, isOlder: boolean): string {
  if (!sources) return "Add a source to see its rows.";
  if (!isSound) return "Fix the problems to see rows.";
  if (!isComplete) return "Complete the input records.";
  return isOlder ? "These rows are from before the last change." : "Runs again after each change.";
}
