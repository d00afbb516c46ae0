import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useLocation } from "wouter";
import { useDashboard } from "../../api/dashboards";
import { SharedResultsContext, useResultSharing } from "../../api/shared-results";
import type { Dashboard } from "../../api/types";
import { useMay, useWorkspace } from "../../api/workspace-context";
import { DiscardDraft } from "../../drafts/discard-draft";
import { useSharedDraft } from "../../drafts/use-shared-draft";
import { Icon } from "../../ui/icons";
import { Page, Panel } from "../../ui/page";
import { Empty, Loading } from "../../ui/placeholders";
import { QueryPage } from "../../ui/query-result";
import { useUrlState } from "../../ui/url-state";
import { draftName, storedOf } from "./dashboard-draft";
import { FilterBar } from "./filter-bar";
import { ShareDrawer } from "./share-drawer";
import { useView } from "./use-view";
import { ViewGrid } from "./view-grid";

const EditMode = lazy(() => import("./edit-mode"));

export default function DashboardPage({ id }: { id: string }) {
  const query = useDashboard(id);
  const { slug } = useWorkspace();
  const results = useResultSharing(slug);
  const [editing, setEditing] = useUrlState("edit", "");
  const mayEdit = useMay("edit");
  return (
    <SharedResultsContext value={results}>
      <QueryPage query={query} what="dashboard">
        {(dashboard) =>
          editing && mayEdit ? (
            <Suspense fallback={<Loading title="Loading editor…" />}>
              <EditMode
                key={dashboard.id}
                dashboard={dashboard}
                onDone={() => {
                  setEditing(null);
                }}
              />
            </Suspense>
          ) : (
            <ViewMode
              dashboard={dashboard}
              onEdit={() => {
                setEditing("1");
              }}
            />
          )
        }
      </QueryPage>
    </SharedResultsContext>
  );
}

function ViewMode({ dashboard, onEdit }: { dashboard: Dashboard; onEdit: () => void }) {
  const [view, setView] = useView(dashboard.document);
  const mayEdit = useMay("edit");
  const empty = !dashboard.document.panels.length;
  return (
    <Page
      title={dashboard.name}
      parent={{ label: "Dashboards", href: "/dashboards" }}
      actions={
        <>
          {!empty && <KioskButton id={dashboard.id} />}
          {mayEdit && <Sharing dashboard={dashboard} />}
          {mayEdit && (
            <Button onClick={onEdit} leftSection={<Icon name="edit" size={14} />}>
              Edit dashboard
            </Button>
          )}
        </>
      }
    >
      {mayEdit && <UnsavedDraft dashboard={dashboard} onEdit={onEdit} />}
      {empty ? (
        <Panel>
          <Empty
            title="No panels yet"
            action={mayEdit ? <Button onClick={onEdit}>Add panels</Button> : undefined}
          >
            A panel shows the live result of a job as a chart, a number or a list.
          </Empty>
        </Panel>
      ) : (
        <>
          <FilterBar document={dashboard.document} view={view} onChange={setView} />
          <ViewGrid document={dashboard.document} view={view} />
        </>
      )}
    </Page>
  );
}

/** What was edited and neither saved nor discarded: it is kept, and found here again. */
function UnsavedDraft({ dashboard, onEdit }: { dashboard: Dashboard; onEdit: () => void }) {
  const { slug } = useWorkspace();
  const draft = useSharedDraft(draftName(slug, dashboard.id), storedOf(dashboard));
  if (!draft.changed) return null;
  return (
    <Panel>
      <div style={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 12 }} role="status">
        <span style={{ flex: 1 }}>You have unsaved changes to this dashboard.</span>
        <Button variant="default" onClick={onEdit}>
          Continue editing
        </Button>
        <DiscardDraft changed onDiscard={draft.forget} subtle>
          The saved dashboard isn&apos;t affected.
        </DiscardDraft>
      </div>
    </Panel>
  );
}

function KioskButton({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const href = `/dashboards/${id}/kiosk${window.location.search}`;
  return (
    <Button
      variant="default"
      leftSection={<Icon name="expand" size={14} />}
      onClick={() => {
        // A browser may refuse: the page is without navigation all the same.
        document.documentElement.requestFullscreen().catch(() => undefined);
        navigate(href);
      }}
    >
      Full screen
    </Button>
  );
}

function Sharing({ dashboard }: { dashboard: Dashboard }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="link" size={14} />}
        onClick={() => {
          setOpened(true);
        }}
      >
        Share
      </Button>
      <ShareDrawer
        dashboard={dashboard}
        opened={opened}
        onClose={() => {
          setOpened(false);
        }}
      />
    </>
  );
}
