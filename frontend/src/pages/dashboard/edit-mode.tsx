import { Button, TextInput } from "@mantine/core";
import { useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useChangeDashboard, useDeleteDashboard } from "../../api/dashboards";
import type { Dashboard, DashboardDocument, Panel } from "../../api/types";
import { Confirm } from "../../ui/confirm";
import { Icon } from "../../ui/icons";
import { Page, Panel as Box } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { RequestError } from "../../ui/request-error";
import { EditGrid } from "./edit-grid";
import { FilterBar, type View } from "./filter-bar";
import { settle } from "./layout";
import { PanelEditor } from "./panel-editor";

interface EditModeProps {
  dashboard: Dashboard;
  onDone: () => void;
}

const NEW = "new";

/** A draft of the dashboard: nothing is stored until it is saved. */
export default function EditMode({ dashboard, onDone }: EditModeProps) {
  const [name, setName] = useState(dashboard.name);
  const [document, setDocument] = useState<DashboardDocument>(dashboard.document);
  const [edited, setEdited] = useState<string | null>(null);
  const [leaving, setLeaving] = useState(false);
  const change = useChangeDashboard(dashboard.id);
  const dirty = name !== dashboard.name || document !== dashboard.document;
  useUnloadWarning(dirty);
  const setPanels = useCallback((panels: Panel[]) => {
    setDocument((before) => ({ ...before, panels }));
  }, []);
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
          <Button
            variant="default"
            onClick={() => {
              if (dirty) setLeaving(true);
              else onDone();
            }}
          >
            Cancel
          </Button>
          <Button
            loading={change.isPending}
            disabled={!name.trim()}
            onClick={() => {
              change.mutate({ name, document, revision: dashboard.revision }, { onSuccess: onDone });
            }}
          >
            Save dashboard
          </Button>
        </>
      }
    >
      <RequestError what="Couldn't save the dashboard" error={change.error} />
      <div style={{ display: "flex", flexWrap: "wrap", gap: 12, alignItems: "end" }}>
        <TextInput
          label="Name"
          value={name}
          maxLength={100}
          w={280}
          onChange={(event) => {
            setName(event.currentTarget.value);
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
      <Confirm
        opened={leaving}
        title="Discard changes?"
        verb="Discard changes"
        onClose={() => {
          setLeaving(false);
        }}
        onConfirm={onDone}
      >
        <p>Your changes to this dashboard are lost. The saved dashboard isn&apos;t affected.</p>
      </Confirm>
    </Page>
  );
}

function useUnloadWarning(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => {
      event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => {
      window.removeEventListener("beforeunload", warn);
    };
  }, [dirty]);
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
