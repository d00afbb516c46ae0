import { Button, Drawer, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLiveOutputs } from "../../api/dashboards";
import type { LiveOutput, Panel, PanelKind } from "../../api/types";
import { useLeave } from "../../drafts/discard-draft";
import { useReturnedFocus } from "../../ui/open-dialog";
import { Empty } from "../../ui/placeholders";
import { QueryResult } from "../../ui/query-result";
import { KIND_LABELS, kindsFor, newPanel, withKind } from "./panel-kinds";
import { applied, lackingOf } from "./panel-draft";
import { PanelFields } from "./panel-fields";
import classes from "./dashboard.module.css";

interface PanelEditorProps {
  opened: boolean;
  /** null: a new panel */
  panel: Panel | null;
  panels: readonly Panel[];
  onClose: () => void;
  onSave: (panel: Panel) => void;
}

export function PanelEditor({ opened, panel, panels, onClose, onSave }: PanelEditorProps) {
  useReturnedFocus(opened);
  const outputs = useLiveOutputs();
  const [isChanged, setChanged] = useState(false);
  const stays = panel ? "The panel stays as it was." : "Other panels aren't affected.";
  const { leave, question } = useLeave(isChanged, onClose, stays);
  return (
    <Drawer
      opened={opened}
      onClose={leave}
      position="right"
      size={420}
      title={<strong>{panel ? "Edit panel" : "Add panel"}</strong>}
    >
      {question}
      <QueryResult query={outputs} what="job results">
        {({ results }) =>
          results.length ? (
            <Form
              panel={panel}
              panels={panels}
              outputs={results}
              onChanged={setChanged}
              onClose={leave}
              onSave={onSave}
            />
          ) : (
            <Empty title="No live results yet">
              A panel shows a job&apos;s live result. Create a job with an output <code>to: result</code>.
            </Empty>
          )
        }
      </QueryResult>
    </Drawer>
  );
}

interface FormProps extends Omit<PanelEditorProps, "opened"> {
  outputs: readonly LiveOutput[];
  /** whether something would be lost with the form */
  onChanged: (changed: boolean) => void;
}

function Form({ panel, panels, outputs, onChanged, onClose, onSave }: FormProps) {
  const [first] = useState<Panel | null>(() => panel ?? firstPanel(outputs, panels));
  const [draft, setDraft] = useState(first);
  const [named, setNamed] = useState(panel !== null);
  const output = outputs.find(({ job }) => job === draft?.job);
  const lacking = draft && lackingOf(draft);
  const change = (next: Panel) => {
    setDraft(next);
    onChanged(JSON.stringify(next) !== JSON.stringify(first));
  };
  const start = (next: LiveOutput | undefined, kind: PanelKind | undefined) => {
    if (!next || !kind) return;
    const made = draft?.job === next.job ? withKind(draft, kind, next, panels) : newPanel(kind, next, panels);
    const kept = draft && panel ? { id: draft.id, position: draft.position } : {};
    change({ ...made, ...kept, ...(named && draft && { title: draft.title }) });
  };
  return (
    <form
      className={classes["editor"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft && !lacking) onSave(applied(draft));
      }}
    >
      <Select
        label="Job"
        data={outputs.map(({ job, job_name }) => ({ value: job, label: job_name }))}
        value={output?.job ?? null}
        error={draft && !output ? "This job was deleted. Choose another." : undefined}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No matching jobs"
        onChange={(job) => {
          const next = outputs.find((one) => one.job === job);
          start(next, next && kindsFor(next)[0]);
        }}
      />
      {output && draft && (
        <>
          <Select
            label="Kind"
            data={kindsFor(output).map((kind) => ({ value: kind, label: KIND_LABELS[kind] }))}
            value={draft.kind}
            allowDeselect={false}
            onChange={(kind) => {
              start(output, kind as PanelKind);
            }}
          />
          <TextInput
            label="Title"
            value={draft.title}
            maxLength={100}
            onChange={(event) => {
              setNamed(true);
              change({ ...draft, title: event.currentTarget.value });
            }}
          />
          <PanelFields panel={draft} output={output} onChange={change} />
        </>
      )}
      {lacking && <p className="soft">{lacking}</p>}
      <div className={classes["drawerActions"]}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={!output || lacking !== null}>
          {panel ? "Apply" : "Add panel"}
        </Button>
      </div>
    </form>
  );
}

function firstPanel(outputs: readonly LiveOutput[], panels: readonly Panel[]): Panel | null {
  const output = outputs.find((one) => kindsFor(one).length > 0);
  const kind = output && kindsFor(output)[0];
  return output && kind ? newPanel(kind, output, panels) : null;
}
