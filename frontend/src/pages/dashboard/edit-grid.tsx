import { ActionIcon } from "@mantine/core";
import { useCallback, useState, type KeyboardEvent } from "react";
import { GridLayout, useContainerWidth, type Layout } from "react-grid-layout";
import "react-grid-layout/css/styles.css";
import type { Panel } from "../../api/types";
import { Icon } from "../../ui/icons";
import type { View } from "./filter-bar";
import { COLUMNS, CROWD, GAP_PX, inOrder, nudge, ROW_PX, settle, type Step } from "./layout";
import { PanelCard } from "./panel-card";
import { windowSeconds } from "./view-state";
import classes from "./dashboard.module.css";

interface EditGridProps {
  panels: readonly Panel[];
  view: View;
  selected: string | null;
  onChange: (panels: Panel[]) => void;
  onEdit: (id: string) => void;
}

const NARROW_PX = 640;
const STEPS: Readonly<Record<string, readonly [Step, Step]>> = {
  ArrowLeft: [{ x: -1 }, { w: -1 }],
  ArrowRight: [{ x: 1 }, { w: 1 }],
  ArrowUp: [{ y: -1 }, { h: -1 }],
  ArrowDown: [{ y: 1 }, { h: 1 }],
};

/** Panels that are moved and resized with the pointer, or with the keyboard on their move buttons. */
export function EditGrid({ panels, view, selected, onChange, onEdit }: EditGridProps) {
  const { width, containerRef, mounted } = useContainerWidth();
  const [said, setSaid] = useState("");
  const shown = inOrder(settle(panels));
  const spanS = windowSeconds(view.window);
  const apply = useCallback(
    (layout: Layout) => {
      const moved = relaid(panels, layout);
      if (moved) onChange(moved);
    },
    [panels, onChange],
  );
  const step = (panel: Panel, event: KeyboardEvent) => {
    const pair = STEPS[event.key];
    if (!pair) return;
    event.preventDefault();
    const next = nudge(panels, panel.id, pair[event.shiftKey ? 1 : 0]);
    setSaid(placeText(next.find(({ id }) => id === panel.id)));
    onChange(next);
  };
  const remove = (panel: Panel) => {
    setSaid(`Removed ${panel.title || "untitled panel"}`);
    onChange(settle(panels.filter(({ id }) => id !== panel.id)));
  };
  const card = (panel: Panel) => (
    <PanelCard
      panel={panel}
      shared={view.filters}
      spanS={spanS}
      crowded={panels.length > CROWD}
      selected={panel.id === selected}
      tools={
        <Tools
          panel={panel}
          onKeyDown={(event) => {
            step(panel, event);
          }}
          onEdit={() => {
            onEdit(panel.id);
          }}
          onRemove={() => {
            remove(panel);
          }}
        />
      }
    />
  );
  return (
    <>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <div ref={containerRef} className={classes["editGrid"]}>
        {mounted && width < NARROW_PX && (
          <div className={classes["stack"]}>
            {shown.map((panel) => (
              <div key={panel.id} style={{ height: Math.max(140, panel.position.h * ROW_PX) }}>
                {card(panel)}
              </div>
            ))}
          </div>
        )}
        {mounted && width >= NARROW_PX && (
          <GridLayout
            width={width}
            layout={shown.map(({ id, position }) => ({ i: id, ...position, minW: 2, minH: 2, maxH: 40 }))}
            gridConfig={{
              cols: COLUMNS,
              rowHeight: ROW_PX,
              margin: [GAP_PX, GAP_PX],
              containerPadding: [0, 0],
            }}
            dragConfig={{ handle: ".panel-drag", cancel: "button" }}
            resizeConfig={{ handles: ["se"] }}
            onLayoutChange={apply}
          >
            {shown.map((panel) => (
              <div key={panel.id}>{card(panel)}</div>
            ))}
          </GridLayout>
        )}
      </div>
    </>
  );
}

interface ToolsProps {
  panel: Panel;
  onKeyDown: (event: KeyboardEvent) => void;
  onEdit: () => void;
  onRemove: () => void;
}

function Tools({ panel, onKeyDown, onEdit, onRemove }: ToolsProps) {
  const name = panel.title || "untitled panel";
  return (
    <>
      <Tool
        icon="move"
        label={`Move ${name}: arrow keys move, Shift and arrow keys resize`}
        title="Arrow keys move, Shift+arrow keys resize"
        onKeyDown={onKeyDown}
      />
      <Tool icon="edit" label={`Edit ${name}`} title="Edit panel" onClick={onEdit} />
      <Tool icon="trash" label={`Remove ${name}`} title="Remove panel" onClick={onRemove} />
    </>
  );
}

interface ToolProps {
  icon: "move" | "edit" | "trash";
  label: string;
  title: string;
  onClick?: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}

function Tool({ icon, label, ...rest }: ToolProps) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest}>
      <Icon name={icon} size={14} />
    </ActionIcon>
  );
}

/** The panels at their new places; null when none moved. */
function relaid(panels: readonly Panel[], layout: Layout): Panel[] | null {
  let changed = false;
  const moved = panels.map((panel) => {
    const item = layout.find(({ i }) => i === panel.id);
    if (!item) return panel;
    const { x, y, w, h } = item;
    const before = panel.position;
    if (before.x === x && before.y === y && before.w === w && before.h === h) return panel;
    changed = true;
    return { ...panel, position: { x, y, w, h } };
  });
  return changed ? moved : null;
}

function placeText(panel: Panel | undefined): string {
  if (!panel) return "";
  const { x, y, w, h } = panel.position;
  return `Column ${String(x + 1)}, row ${String(y + 1)}, ${String(w)} wide, ${String(h)} high`;
}
