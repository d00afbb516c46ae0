import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { useChangeDashboard, useDeleteDashboard } from "../../api/dashboards";
import type { Dashboard, DashboardDocument, Panel } from "../../api/types";
import { useWorkspace } from "../../api/workspace-context";
import { ChangedElsewhere } from "../../drafts/changed-elsewhere";
import { ChangedMeanwhile } from "../../drafts/changed-meanwhile";
import { DiscardDraft } from "../../drafts/discard-draft";
import { RestoredDraft } from "../../drafts/restored-draft";
import { useSharedDraft } from "../../drafts/use-shared-draft";
import { Confirm } from "../../ui/confirm";
import { Icon } from "../../ui/icons";
import { Page, Panel as Box } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { RequestError } from "../../ui/request-error";
import { draftName, storedOf, textOf } from "./dashboard-draft";
import { EditGrid } from "./edit-grid";
import { FilterBar, type View } from "./filter-bar";
import { settle } from "./layout";
import { PanelEditor } from "./panel-editor";

interface EditModeProps {
  dashboard: Dashboard;
  onDone: () => void;
}

const NEW = "new";

/** A draft of the dashboard: nothing is stored for others until it is saved. */
export default function EditMode({ dashboard, onDone }: EditModeProps) {
  const { slug } = useWorkspace();
  const draft = useSharedDraft(draftName(slug, dashboard.id), storedOf(dashboard));
  const { name, document } = draft.value;
  const [edited, setEdited] = useState<string | null>(null);
  const change = useChangeDashboard(dashboard.id);
  const setDocument = (changed: DashboardDocument) => {
    draft.setValue((before) => ({ ...before, document: changed }));
  };
  const setPanels = (panels: Panel[]) => {
    draft.setValue((before) => ({ ...before, document: { ...before.document, panels } }));
  };
  const finish = () => {
    draft.forget();
    onDone();
  };
  const view: View = { window: document.window ?? "all", filters: document.filters };
  const closeEditor = () => {
    setEdited(null);
  };
  return (
    <Page
      title={`Edit ${dashboard.name}`}
      parent={{ label: "Dashboards", href: "/dashboards" }}
      actions={
        <>
          <Deletion dashboard={dashboard} />
          <DiscardDraft changed={draft.changed} onDiscard={finish}>
            The saved dashboard isn&apos;t affected.
          </DiscardDraft>
          <Button
            loading={change.isPending}
            disabled={!name.trim() || draft.newer !== null}
            onClick={() => {
              change.mutate(
                { name, document, revision: draft.original.revision },
                {
                  onSuccess: (saved) => {
                    if (draft.saved(draft.value, storedOf(saved))) onDone();
                  },
                },
              );
            }}
          >
            Save dashboard
          </Button>
        </>
      }
    >
      {!change.isPending && <ChangedMeanwhile draft={draft} what="dashboard" textOf={textOf} />}
      <RestoredDraft restored={draft.restored} />
      <ChangedElsewhere draft={draft} />
      <RequestError what="Couldn't save the dashboard" error={draft.newer ? null : change.error} />
      <div style={{ display: "flex", flexWrap: "wrap", gap: 12, alignItems: "end" }}>
        <TextInput
          label="Name"
          value={name}
          maxLength={100}
          w={280}
          onChange={(event) => {
            const changed = event.currentTarget.value;
            draft.setValue((before) => ({ ...before, name: changed }));
          }}
        />
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => {
            setEdited(NEW);
          }}
        >
          Add panel
        </Button>
      </div>
      {document.panels.length > 0 ? (
        <>
          <FilterBar
            document={document}
            view={view}
            onChange={({ window, filters }) => {
              setDocument({
                ...document,
                window: window === "all" ? null : window,
                filters: [...filters],
              });
            }}
          />
          <EditGrid
            panels={document.panels}
            view={view}
            selected={edited}
            onChange={setPanels}
            onEdit={setEdited}
          />
        </>
      ) : (
        <Box>
          <Empty title="No panels yet">Add a panel to show the live result of a job.</Empty>
        </Box>
      )}
      <PanelEditor
        key={edited ?? ""}
        opened={edited !== null}
        panel={document.panels.find(({ id }) => id === edited) ?? null}
        panels={document.panels}
        onClose={closeEditor}
        onSave={(panel) => {
          setPanels(settle([...document.panels.filter(({ id }) => id !== panel.id), panel]));
          closeEditor();
        }}
      />
    </Page>
  );
}

function Deletion({ dashboard }: { dashboard: Dashboard }) {
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const remove = useDeleteDashboard(dashboard.id);
  const panels = dashboard.document.panels.length;
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        leftSection={<Icon name="trash" size={14} />}
        onClick={() => {
          setAsking(true);
        }}
      >
        Delete dashboard
      </Button>
      <Confirm
        opened={asking}
        title={`Delete dashboard ${dashboard.name}?`}
        verb="Delete dashboard"
        busy={remove.isPending}
        error={remove.error}
        onClose={() => {
          setAsking(false);
        }}
        onConfirm={() => {
          remove.mutate(undefined, {
            onSuccess: () => {
              navigate("/dashboards");
            },
          });
        }}
      >
        <p>
          {panels === 1 ? "Its panel" : `Its ${String(panels)} panels`} and all links to it are lost. Jobs and
          their results aren&apos;t affected. This can&apos;t be undone.
        </p>
      </Confirm>
    </>
  );
}
