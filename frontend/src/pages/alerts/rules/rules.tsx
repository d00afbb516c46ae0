import { Button, Switch } from "@mantine/core";
import { useState } from "react";
import { useAlertRules, useDeleteRule, useSaveRule } from "../../../api/alerts";
import type { AlertRule } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Confirm } from "../../../ui/confirm";
import { count } from "../../../ui/format/numbers";
import { durationText } from "../../../ui/labels";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { RequestError } from "../../../ui/request-error";
import { Badge } from "../../../ui/status";
import { Table, type Column } from "../../../ui/table";
import { SeverityBadge } from "../alert-state";
import { RuleEditor } from "./rule-editor";
import classes from "../alerts.module.css";

export function RulesTab() {
  const query = useAlertRules();
  const mayEdit = useMay("edit");
  const [editing, setEditing] = useState<AlertRule | "new" | null>(null);
  const [deleting, setDeleting] = useState<AlertRule | null>(null);
  const save = useSaveRule();
  const create = mayEdit && (
    <Button
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => {
        setEditing("new");
      }}
    >
      New rule
    </Button>
  );
  const saving = save.isPending ? (save.variables.id ?? null) : null;
  const toggle = (rule: AlertRule, enabled: boolean) => {
    save.mutate({ id: rule.id, revision: rule.revision, name: rule.name, document: rule.document, enabled });
  };
  return (
    <>
      <RequestError what="Couldn't change the rule" error={save.error} />
      <Panel title="Rules" aside={create} flush>
        <QueryResult query={query} what="rules">
          {({ results }) =>
            results.length ? (
              <Table
                label="Rules"
                rows={results}
                rowKey={({ id }) => id}
                columns={columns({
                  mayEdit,
                  saving,
                  onEdit: setEditing,
                  onDelete: setDeleting,
                  onToggle: toggle,
                })}
              />
            ) : (
              <Empty title="No rules yet" action={create}>
                A rule watches a metric, or each result row of a job.
              </Empty>
            )
          }
        </QueryResult>
      </Panel>
      {editing && (
        <RuleEditor
          key={editing === "new" ? "new" : editing.id}
          rule={
            editing === "new" ? null : (query.data?.results.find(({ id }) => id === editing.id) ?? editing)
          }
          onClose={() => {
            setEditing(null);
          }}
          onCreated={setEditing}
        />
      )}
      <Deletion
        rule={deleting}
        onClose={() => {
          setDeleting(null);
        }}
      />
    </>
  );
}

interface Handlers {
  mayEdit: boolean;
  /** id of the rule that is being switched: on its old revision it can't be switched again */
  saving: string | null;
  onEdit: (rule: AlertRule) => void;
  onDelete: (rule: AlertRule) => void;
  onToggle: (rule: AlertRule, enabled: boolean) => void;
}

function columns({ mayEdit, saving, onEdit, onDelete, onToggle }: Handlers): Column<AlertRule>[] {
  return [
    {
      name: "On",
      cell: (rule) => (
        <Switch
          aria-label={`Evaluate ${rule.name}`}
          checked={rule.enabled}
          disabled={!mayEdit || saving === rule.id}
          onChange={(event) => {
            onToggle(rule, event.currentTarget.checked);
          }}
        />
      ),
    },
    {
      name: "Rule",
      cell: (rule) => (
        <div className={classes["alert"]}>
          <strong>{rule.name}</strong>
          <span className="soft">{rule.condition}</span>
          <div className={classes["narrowOnly"]}>
            <SeverityBadge severity={rule.document.severity} />
            {rule.firing > 0 && <span>{count(rule.firing)} firing</span>}
          </div>
          {rule.problem && (
            <Badge tone="bad" plain>
              {rule.problem}
            </Badge>
          )}
        </div>
      ),
    },
    {
      name: "Severity",
      wideOnly: true,
      cell: ({ document }) => <SeverityBadge severity={document.severity} />,
    },
    { name: "Holds for", wideOnly: true, cell: ({ document }) => durationText(document.hold) },
    { name: "Firing", numeric: true, wideOnly: true, cell: ({ firing }) => count(firing) },
    ...(mayEdit
      ? [
          {
            name: "Actions",
            unnamed: true,
            numeric: true,
            cell: (rule: AlertRule) => (
              <div className={classes["rowActions"]}>
                <Button
                  variant="default"
                  onClick={() => {
                    onEdit(rule);
                  }}
                >
                  Edit
                </Button>
                {!rule.template && (
                  <Button
                    data-removes
                    variant="subtle"
                    color="gray"
                    onClick={() => {
                      onDelete(rule);
                    }}
                  >
                    Delete
                  </Button>
                )}
              </div>
            ),
          },
        ]
      : []),
  ];
}

function Deletion({ rule, onClose }: { rule: AlertRule | null; onClose: () => void }) {
  const remove = useDeleteRule();
  return (
    <Confirm
      opened={rule !== null}
      onClose={onClose}
      title={`Delete rule ${rule?.name ?? ""}?`}
      verb="Delete rule"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (rule) remove.mutate(rule.id, { onSuccess: onClose });
      }}
    >
      <p>Its alerts and their history are deleted, too. This can't be undone.</p>
    </Confirm>
  );
}
