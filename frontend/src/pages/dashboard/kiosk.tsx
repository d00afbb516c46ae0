import { Button } from "@mantine/core";
import { useDocumentTitle, useHotkeys } from "@mantine/hooks";
import { useLocation } from "wouter";
import { useDashboard } from "../../api/dashboards";
import { SharedResultsContext, useResultSharing } from "../../api/shared-results";
import type { Dashboard } from "../../api/types";
import { useWorkspace } from "../../api/workspace-context";
import { zoneId } from "../../ui/format/times";
import { QueryPage } from "../../ui/query-result";
import { ConnectionBanner } from "../../ui/shell/connection-banner";
import { useView } from "./use-view";
import { ViewGrid } from "./view-grid";
import { windowChoices } from "./view-state";
import classes from "./dashboard.module.css";

/** A dashboard without navigation, as high as the screen. Esc leaves. */
export default function KioskPage({ id }: { id: string }) {
  const query = useDashboard(id);
  const { slug } = useWorkspace();
  const results = useResultSharing(slug);
  return (
    <SharedResultsContext value={results}>
      <ConnectionBanner />
      <QueryPage query={query} what="dashboard">
        {(dashboard) => <Kiosk dashboard={dashboard} />}
      </QueryPage>
    </SharedResultsContext>
  );
}

function Kiosk({ dashboard }: { dashboard: Dashboard }) {
  const [view] = useView(dashboard.document);
  const [, navigate] = useLocation();
  useDocumentTitle(`${dashboard.name} · Weir`);
  const leave = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    navigate(`/dashboards/${dashboard.id}${window.location.search}`);
  };
  useHotkeys([["Escape", leave]]);
  const span = windowChoices(view.window).find(({ value }) => value === view.window)?.label;
  return (
    <main id="main" className={classes["kiosk"]} tabIndex={-1}>
      <header className={classes["kioskHead"]}>
        <h1>{dashboard.name}</h1>
        <span className="soft">{view.window === "all" ? "All rows" : `Last ${span ?? view.window}`}</span>
        <span className={classes["zone"]}>Times in {zoneId()}</span>
        <Button variant="subtle" color="gray" onClick={leave}>
          Exit full screen
        </Button>
      </header>
      <ViewGrid document={dashboard.document} view={view} fit />
    </main>
  );
}
