import { Handle, Position, useConnection, type NodeProps } from "@xyflow/react";
import { useContext } from "react";
import type { SchemaField } from "../../api/types";
import { counted } from "../../ui/format/numbers";
import { Badge } from "../../ui/status";
import { ActionsContext } from "./actions";
import { inputAt, inputHandle, portHandle, referenceAt, type FlowNode, type NodeData } from "./flow";
import type { GraphNode } from "./graph";
import { handleTop, portRows, shownFields } from "./node-size";
import type { Flow } from "./live-facts";
import { factText, type Fact, type NodeText } from "./node-text";
import classes from "./drawing.module.css";

/** A source, step or output. Its height follows from its lines (node-size.ts), so none may wrap. */
export function NodeView({ id, data, selected }: NodeProps<FlowNode>) {
  const { node, text, live } = data;
  return (
    <div
      className={classes["node"]}
      data-kind={node.kind}
      data-selected={selected}
      data-flow={live.flow}
      data-problem={text.problems.some(({ severity }) => severity === "error") || undefined}
    >
      <header className={classes["nodeHead"]}>
        <b title={node.name}>{node.name}</b>
        <span title={text.title}>{text.title}</span>
        {live.flow in SILENCE && <em title={SILENCE[live.flow]?.why}>{SILENCE[live.flow]?.word}</em>}
      </header>
      {portRows(node) > 0 && <PortRows node={node} />}
      <FieldList id={id} data={data} />
      <Facts facts={[...(text.facts ?? []), ...live.facts]} />
      <Problems text={text} />
      <Handles id={id} data={data} />
    </div>
  );
}

/** What is said of a node out of which no rows come. */
const SILENCE: Partial<Record<Flow, { word: string; why: string }>> = {
  idle: { word: "Idle", why: "No rows in the last minute" },
  stops: { word: "No output", why: "Rows come in, and none came out in the last minute" },
};

function PortRows({ node }: { node: GraphNode }) {
  const rows = Array.from({ length: portRows(node) }, (_, at) => at);
  return (
    <div className={classes["section"]}>
      {rows.map((at) => (
        <div key={at} className={classes["portRow"]}>
          <span>{node.inputs.length > 1 ? node.inputs[at]?.label : ""}</span>
          <span>{portRowName(node, at)}</span>
        </div>
      ))}
    </div>
  );
}

function portRowName({ name, ports }: GraphNode, at: number): string {
  if (ports.length < 2 && ports[0]?.name === "") return "";
  const port = ports[at];
  return port ? port.name || name : "";
}

function FieldList({ id, data: { text, isOpen } }: { id: string; data: NodeData }) {
  const { fold } = useContext(ActionsContext);
  const { shown, isFoldable } = shownFields(text, isOpen);
  if (!shown.length) return null;
  return (
    <div className={classes["section"]}>
      {shown.map((field, at) => (
        <FieldLine key={`${field.name} ${String(at)}`} field={field} />
      ))}
      {isFoldable && (
        <button
          type="button"
          tabIndex={-1}
          className={`${classes["fold"] ?? ""} nodrag`}
          aria-expanded={isOpen}
          onClick={(event) => {
            event.stopPropagation();
            fold(id);
          }}
        >
          {isOpen ? "Fewer fields" : `${counted(text.fields.length - shown.length, "more field")}`}
        </button>
      )}
    </div>
  );
}

function FieldLine({ field: { name, type, nullable } }: { field: SchemaField }) {
  const words = `${type}${nullable ? "?" : ""}`;
  return (
    <div className={classes["field"]} title={`${name} ${words}`}>
      <span>{name}</span>
      <span>{words}</span>
    </div>
  );
}

function Facts({ facts }: { facts: readonly Fact[] }) {
  if (!facts.length) return null;
  return (
    <div className={classes["section"]}>
      {facts.map((fact) => (
        <div key={`${fact.label} ${fact.text}`} className={classes["fact"]} title={factText(fact)}>
          <span>{fact.label}</span>
          <span data-tone={fact.isWarning ? "warn" : undefined}>{fact.text}</span>
        </div>
      ))}
    </div>
  );
}

function Problems({ text: { problems } }: { text: NodeText }) {
  const [first] = problems.some(({ severity }) => severity === "error")
    ? problems.filter(({ severity }) => severity === "error")
    : problems;
  if (!first) return null;
  return (
    <div className={classes["section"]}>
      <div className={classes["problem"]} title={problems.map(({ message }) => message).join("\n")}>
        <Badge tone={first.severity === "error" ? "bad" : "warn"} plain>
          {problems.length > 1 ? counted(problems.length, "problem") : first.message}
        </Badge>
      </div>
    </div>
  );
}

/** Where edges begin and end. While one is drawn, the ends that fit light up. */
function Handles({ id, data: { node, direction } }: { id: string; data: NodeData }) {
  const { isEditable } = useContext(ActionsContext);
  const stateOf = useHandleStates();
  const down = direction === "down";
  const style = (side: "inputs" | "ports", at: number, count: number) =>
    down ? { left: `${String((100 * (at + 1)) / (count + 1))}%` } : { top: handleTop(node, side, at) };
  return (
    <>
      {node.inputs.map(({ name, label }, at) => (
        <Handle
          key={name}
          id={inputHandle(name)}
          type="target"
          position={down ? Position.Top : Position.Left}
          isConnectable={isEditable}
          style={style("inputs", at, node.inputs.length)}
          className={classes["handle"] ?? ""}
          title={label}
          data-state={stateOf(id, "target", inputHandle(name))}
        />
      ))}
      {node.ports.map(({ name, reference }, at) => (
        <Handle
          key={name}
          id={portHandle(name)}
          type="source"
          position={down ? Position.Bottom : Position.Right}
          isConnectable={isEditable}
          style={style("ports", at, node.ports.length)}
          className={classes["handle"] ?? ""}
          title={reference}
          data-state={stateOf(id, "source", portHandle(name))}
        />
      ))}
    </>
  );
}

/** Whether a handle fits the connection that is being drawn; undefined while there is none. */
function useHandleStates() {
  const { misfit } = useContext(ActionsContext);
  const from = useConnection(({ inProgress, fromHandle }) => (inProgress ? fromHandle : null));
  return (id: string, type: "source" | "target", handle: string): "fits" | "closed" | undefined => {
    if (!from) return undefined;
    if (from.type === type) return "closed";
    const [port, input] =
      type === "target" ? [from, { nodeId: id, id: handle }] : [{ nodeId: id, id: handle }, from];
    const target = { to: input.nodeId, input: inputAt(input.id) };
    return misfit(referenceAt(port.nodeId, port.id), target) === null ? "fits" : "closed";
  };
}
