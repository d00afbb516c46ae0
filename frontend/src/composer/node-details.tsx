/** The checked properties of a source or step: output fields, changelog, watermark, slack and state. */

import type { ReactNode } from "react";
import type { CheckedNode, SchemaField } from "../api/types";
import { Badge } from "../ui/status";
import { TERMS } from "../ui/terms";
import { keyText, slackText, stateText, watermarkText } from "./node-text";
import classes from "./composer.module.css";

export function Fields({ schema, label }: { schema: readonly SchemaField[]; label?: string }) {
  return (
    <div className={classes["fields"]}>
      {label && <span>{label}</span>}
      {schema.map(({ name, type, nullable }, index) => (
        <span key={`${name} ${String(index)}`}>
          <b>{name}</b> {type}
          {nullable ? "?" : ""}
        </span>
      ))}
    </div>
  );
}

/** The output of a node, and its state. */
export function NodeDetails({
  node,
  input,
}: {
  node: CheckedNode;
  /** fields of its inputs, where they are shown above */ input?: readonly SchemaField[];
}) {
  const same = input !== undefined && JSON.stringify(input) === JSON.stringify(node.schema);
  const slack = slackText(node);
  return (
    <dl className={classes["nodeFacts"]} aria-label={`Output of ${node.name}`}>
      {!node.only_ports && (
        <Row name="Output fields">{same ? "Same as input" : <Fields schema={node.schema} />}</Row>
      )}
      {!node.only_ports && <Row name="Changelog">{keyText(node)}</Row>}
      {node.ports.map((port) => (
        <Row key={port.name} name={`${node.name}.${port.name}`}>
          <Fields schema={port.schema} />
          {keyText(port)}
        </Row>
      ))}
      {node.state.bound !== "none" &&
        watermarkText(node).map((words) => (
          <Row key={words} name="Watermark">
            {words}
          </Row>
        ))}
      {slack && <Row name="Watermark slack">{slack}</Row>}
      {node.op !== "source" && (
        <Row name="State">
          <Bound bound={node.state.bound} /> {stateText(node.state)}
        </Row>
      )}
    </dl>
  );
}

/** Placeholder until the next check, so that the layout does not shift when its result arrives. */
export function NodeDetailsSkeleton({ name }: { name: string }) {
  return (
    <dl className={classes["nodeFacts"]} aria-label={`Output of ${name}`}>
      {["Output fields", "Changelog", "State"].map((fact) => (
        <Row key={fact} name={fact}>
          <span className="soft">–</span>
        </Row>
      ))}
    </dl>
  );
}

function Bound({ bound }: { bound: CheckedNode["state"]["bound"] }) {
  if (bound === "none") return null;
  return bound === "bounded" ? (
    <b>Bounded:</b>
  ) : (
    <Badge tone="warn" plain>
      Unbounded:
    </Badge>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt title={TERMS[name === "State" ? "Step state" : name]}>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
