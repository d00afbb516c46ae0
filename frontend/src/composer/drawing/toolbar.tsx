import { Button, Popover } from "@mantine/core";
import { Icon, type IconName } from "../../ui/icons";
import { KEYS } from "./keys";
import type { View } from "./use-view";
import classes from "./drawing.module.css";

interface ToolbarProps {
  /** left out where the drawing shows only, or the palette stands beside it */
  onAdd?: () => void;
  onConnect?: () => void;
  onDelete?: () => void;
  onFind: () => void;
  view: Pick<View, "commands" | "isHelpOpen" | "setHelpOpen">;
  /** left out while all positions are automatic */
  onTidy?: () => void;
}

/** The actions of the drawing. */
export function Toolbar({ onAdd, onConnect, onDelete, onFind, view, onTidy }: ToolbarProps) {
  const { commands, isHelpOpen, setHelpOpen } = view;
  return (
    <div className={classes["toolbar"]} role="toolbar" aria-label="Drawing">
      {onAdd && <Tool label="Add" icon="plus" onClick={onAdd} />}
      {onConnect && <Tool label="Connect" icon="right" onClick={onConnect} />}
      {onDelete && <Tool label="Delete" icon="trash" onClick={onDelete} />}
      <Tool label="Find" icon="search" onClick={onFind} />
      <Tool label="Fit" icon="overview" onClick={commands.fit} />
      <Button size="compact-xs" variant="subtle" aria-label="Zoom in" onClick={commands.zoomIn}>
        +
      </Button>
      <Button size="compact-xs" variant="subtle" aria-label="Zoom out" onClick={commands.zoomOut}>
        −
      </Button>
      {onTidy && <Tool label="Tidy" icon="refresh" onClick={onTidy} />}
      <Popover opened={isHelpOpen} onChange={setHelpOpen} position="bottom-end" withinPortal trapFocus>
        <Popover.Target>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label="Keyboard shortcuts"
            onClick={() => {
              setHelpOpen(!isHelpOpen);
            }}
          >
            Keys
          </Button>
        </Popover.Target>
        <Popover.Dropdown maw="calc(100vw - 24px)" aria-label="Keyboard shortcuts">
          <dl className={classes["keys"]} tabIndex={0} aria-label="Keyboard shortcuts">
            {KEYS.map(([keys, does]) => (
              <div key={keys}>
                <dt>{keys}</dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

function Tool({ label, icon, onClick }: { label: string; icon: IconName; onClick: () => void }) {
  return (
    <Button size="compact-xs" variant="subtle" leftSection={<Icon name={icon} size={14} />} onClick={onClick}>
      {label}
    </Button>
  );
}
