import { useMemo, type CSSProperties } from "react";
import type { DashboardDocument } from "../../api/types";
import type { View } from "./filter-bar";
import { CROWD, inOrder, settle } from "./layout";
import { PanelCard } from "./panel-card";
import { windowSeconds } from "./view-state";
import classes from "./dashboard.module.css";

interface ViewGridProps {
  document: DashboardDocument;
  view: View;
  /** kiosk: rows are as high as lets all of them fit the screen */
  fit?: boolean;
}

/** The panels where the dashboard has them; on a narrow screen one below the other. */
export function ViewGrid({ document, view, fit = false }: ViewGridProps) {
  const panels = useMemo(() => inOrder(settle(document.panels)), [document.panels]);
  const rows = Math.max(1, ...panels.map(({ position }) => position.y + position.h));
  const spanS = windowSeconds(view.window);
  return (
    <div className={classes["grid"]} data-fit={fit || undefined} style={{ "--rows": rows } as CSSProperties}>
      {panels.map((panel) => (
        <div
          key={panel.id}
          className={classes["cell"]}
          style={
            {
              "--h": panel.position.h,
              gridColumn: `${String(panel.position.x + 1)} / span ${String(panel.position.w)}`,
              gridRow: `${String(panel.position.y + 1)} / span ${String(panel.position.h)}`,
            } as CSSProperties
          }
        >
          <PanelCard panel={panel} shared={view.filters} spanS={spanS} crowded={panels.length > CROWD} />
        </div>
      ))}
    </div>
  );
}
