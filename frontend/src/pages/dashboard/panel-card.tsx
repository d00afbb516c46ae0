import { useId, type ReactNode } from "react";
import type { FieldFilter, Panel } from "../../api/types";
import { ErrorBoundary } from "../../ui/error-boundary";
import { PanelBody } from "./panel-body";
import { PanelNotice } from "./panel-notice";
import classes from "./panel.module.css";

interface PanelCardProps {
  panel: Panel;
  shared: readonly FieldFilter[];
  spanS: number | null;
  crowded: boolean;
  selected?: boolean;
  /** buttons of the edit mode; the head can be dragged then */
  tools?: ReactNode;
}

/** A panel with its heading. */
export function PanelCard({ panel, shared, spanS, crowded, selected = false, tools }: PanelCardProps) {
  const heading = useId();
  return (
    <section
      className={classes["panel"]}
      aria-labelledby={heading}
      data-selected={selected || undefined}
      data-panel={panel.id}
    >
      <div
        className={`${classes["head"] ?? ""} ${tools ? "panel-drag" : ""}`}
        data-grab={tools ? "" : undefined}
      >
        <h2 id={heading} className="clip" title={panel.title}>
          {panel.title || "Untitled panel"}
        </h2>
        {tools && <div className={classes["tools"]}>{tools}</div>}
      </div>
      <div className={classes["body"]}>
        <ErrorBoundary
          resetKey={JSON.stringify([panel, shared])}
          instead={
            <PanelNotice title="This panel can't be drawn">Change it, or reload the page.</PanelNotice>
          }
        >
          <PanelBody key={panel.job} panel={panel} shared={shared} spanS={spanS} crowded={crowded} />
        </ErrorBoundary>
      </div>
    </section>
  );
}
