import { Menu } from "@mantine/core";
import { BaseEdge, EdgeLabelRenderer, getBezierPath, type EdgeProps } from "@xyflow/react";
import { useContext, type CSSProperties } from "react";
import type { SchemaField } from "../../api/types";
import { counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { ActionsContext } from "./actions";
import type { FlowEdge } from "./flow";
import classes from "./drawing.module.css";

/** What flows between two nodes: its number of fields, and a menu with the fields and what can be done. */
export function EdgeView({ id, data, selected, ...ends }: EdgeProps<FlowEdge>) {
  const [path, x, y] = getBezierPath(ends);
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={24}
        className={selected ? (classes["selectedEdge"] ?? "") : ""}
        style={strokeOf(data?.perSecond)}
      />
      {data && (
        <EdgeLabelRenderer>
          <div
            className={`${classes["edgeLabel"] ?? ""} nodrag nopan`}
            style={{ transform: `translate(-50%, -50%) translate(${String(x)}px, ${String(y)}px)` }}
          >
            <EdgeMenu data={data} />
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

/** Thicker where more rows flow, dashed where none do; unchanged where that is unknown. */
function strokeOf(perSecond: number | null | undefined): CSSProperties {
  if (perSecond === null || perSecond === undefined) return {};
  if (perSecond === 0) return { strokeDasharray: "2 5" };
  return { strokeWidth: 1.5 + Math.min(Math.log10(1 + perSecond), 5) };
}

function EdgeMenu({ data: { edge, fields, rate } }: { data: NonNullable<FlowEdge["data"]> }) {
  const { isEditable, insertOn, disconnect } = useContext(ActionsContext);
  const words = rate !== undefined ? rate || "–" : fields ? counted(fields.length, "field") : "–";
  const spoken = rate !== undefined ? rate || "rate unknown" : fields ? words : "fields unknown";
  const to = edge.to.replace("output:", "");
  return (
    <Menu position="bottom" withinPortal>
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          data-edge={edge.id}
          aria-label={`From ${edge.reference} to ${to}, ${spoken}`}
        >
          {words}
        </button>
      </Menu.Target>
      <Menu.Dropdown className={classes["edgeMenu"] ?? ""}>
        <Menu.Label>
          {edge.reference} → {to}
        </Menu.Label>
        {isEditable && (
          <>
            <Menu.Item
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => {
                insertOn(edge);
              }}
            >
              Insert step
            </Menu.Item>
            <Menu.Item
              leftSection={<Icon name="close" size={14} />}
              onClick={() => {
                disconnect(edge);
              }}
            >
              Disconnect
            </Menu.Item>
          </>
        )}
        <EdgeFields fields={fields} />
      </Menu.Dropdown>
    </Menu>
  );
}

function EdgeFields({ fields }: { fields: readonly SchemaField[] | null }) {
  if (!fields?.length) return null;
  return (
    <>
      <Menu.Divider />
      <div className={classes["edgeFields"]}>
        {fields.map(({ name, type, nullable }) => (
          <div key={name} className={classes["field"]}>
            <span>{name}</span>
            <span>
              {type}
              {nullable ? "?" : ""}
            </span>
          </div>
        ))}
      </div>
    </>
  );
}
