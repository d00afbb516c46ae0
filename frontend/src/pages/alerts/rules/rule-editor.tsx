import { Button, MultiSelect, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { FormEvent } from "react";
import { useAlertChannels, useSaveRule } from "../../../api/alerts";
import type { AlertRule } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { ChangedElsewhere } from "../../../drafts/changed-elsewhere";
import { ChangedMeanwhile } from "../../../drafts/changed-meanwhile";
import { useLeave } from "../../../drafts/discard-draft";
import { RestoredDraft } from "../../../drafts/restored-draft";
import { writeDraft } from "../../../drafts/shared-draft";
import { useSharedDraft } from "../../../drafts/use-shared-draft";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import { SEVERITY_OPTIONS } from "../alert-state";
import { MetricFields } from "./metric-fields";
import { RowFields } from "./row-fields";
import { documentOf, isComplete, isReadable, storedOf, textOf, type RuleDraft } from "./rule-draft";
import { RulePreview } from "./rule-preview";
import classes from "../alerts.module.css";

/** A rule's form; what is typed is checked and played over the stored history at each pause. */
export function RuleEditor({
  rule,
  onClose,
  onCreated,
}: {
  rule: AlertRule | null;
  onClose: () => void;
  /** a new rule was made while something more was written: that is its draft now */
  onCreated: (rule: AlertRule) => void;
}) {
  const { slug } = useWorkspace();
  const shared = useSharedDraft(draftName(slug, rule), storedOf(rule));
  const { name, draft } = shared.value;
  const [settled] = useDebouncedValue(draft, 400);
  const save = useSaveRule();
  const change = (part: Partial<RuleDraft>) => {
    shared.setValue((before) => ({ ...before, draft: { ...before.draft, ...part } }));
  };
  const finish = () => {
    shared.forget();
    onClose();
  };
  const stays = rule ? "The saved rule isn't affected." : "Other rules aren't affected.";
  const { leave, question } = useLeave(shared.changed, finish, stays);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      {
        name,
        document: documentOf(draft),
        enabled: rule?.enabled ?? true,
        ...(rule && { id: rule.id, revision: shared.original.revision }),
      },
      {
        onSuccess: (saved) => {
          if (!rule) {
            const rest = shared.created(shared.value);
            if (!rest) {
              onClose();
              return;
            }
            const original = storedOf(saved);
            writeDraft(window.localStorage, draftName(slug, saved), { original, value: rest.value });
            onCreated(saved);
          } else if (shared.saved(shared.value, storedOf(saved))) onClose();
        },
      },
    );
  };
  return (
    <OpenDialog
      onClose={leave}
      {...heldOpen(save.isPending)}
      size="xl"
      title={<strong>{rule ? "Edit rule" : "New rule"}</strong>}
    >
      {question}
      <form onSubmit={submit} className={classes["form"]}>
        {!save.isPending && <ChangedMeanwhile draft={shared} what="rule" textOf={textOf} />}
        <RestoredDraft restored={shared.restored} />
        <ChangedElsewhere draft={shared} />
        <TextInput
          label="Name"
          required
          data-autofocus
          maxLength={100}
          value={name}
          onChange={(event) => {
            const changed = event.currentTarget.value;
            shared.setValue((before) => ({ ...before, name: changed }));
          }}
        />
        <SegmentedControl
          aria-label="What the rule watches"
          data={[
            { value: "rows", label: "Result rows" },
            { value: "metric", label: "Metric" },
          ]}
          value={draft.kind}
          onChange={(kind) => {
            // Not every metric is measured by job, and then there is no field to take it out again.
            change({ kind: kind === "metric" ? "metric" : "rows", job: "", group: "" });
          }}
        />
        {draft.kind === "metric" ? (
          <MetricFields draft={draft} onChange={change} />
        ) : (
          <RowFields draft={draft} onChange={change} />
        )}
        <div className={classes["pair"]}>
          <TextInput
            label="For"
            description="How long the condition has to hold: 0s, 30s, 5m"
            value={draft.hold}
            onChange={(event) => {
              change({ hold: event.currentTarget.value });
            }}
          />
          <Select
            label="Severity"
            allowDeselect={false}
            data={SEVERITY_OPTIONS}
            value={draft.severity}
            onChange={(severity) => {
              const found = SEVERITY_OPTIONS.find(({ value }) => value === severity);
              if (found) change({ severity: found.value });
            }}
          />
        </div>
        <Channels
          chosen={draft.channels}
          onChange={(channels) => {
            change({ channels });
          }}
        />
        <div className={classes["preview"]} aria-live="polite">
          {isComplete(settled) ? (
            <RulePreview document={documentOf(settled)} />
          ) : (
            <span className="soft">The check and a preview over the stored history appear here.</span>
          )}
        </div>
        <RequestError what="Couldn't save the rule" error={shared.newer ? null : save.error} />
        <div className={classes["formActions"]}>
          <Button variant="default" disabled={save.isPending} onClick={leave}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={shared.newer !== null || !isReadable(draft)}
          >
            {rule ? "Save rule" : "Create rule"}
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}

function draftName(workspace: string, rule: AlertRule | null): string {
  return `${workspace}.alert-rule.${rule?.id ?? "new"}`;
}

function Channels({ chosen, onChange }: { chosen: string[]; onChange: (ids: string[]) => void }) {
  const { data } = useAlertChannels();
  const options = data?.results.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const isGone = (id: string) => data !== undefined && options.every(({ value }) => value !== id);
  return (
    <MultiSelect
      label="Channels"
      placeholder={chosen.length ? "" : "Every channel that takes this severity"}
      data={options}
      value={chosen.filter((id) => !isGone(id))}
      onChange={onChange}
    />
  );
}
