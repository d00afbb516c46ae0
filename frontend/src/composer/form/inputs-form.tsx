import { MultiSelect, Select } from "@mantine/core";
import type { CheckedNode } from "../../api/types";
import type { Operator } from "../operator-fields";
import type { Outline, StepRow } from "../outline";
import { PathAnchor } from "./path-anchor";
import { asText, asTexts } from "./values";

/** Possible inputs of a step or output: sources, steps and ports of steps. */
export function references(outline: Outline, nodes: readonly CheckedNode[], except?: string): string[] {
  const names = [...outline.sources, ...outline.steps]
    .map(({ name }) => name)
    .filter((name) => name !== except);
  return names.flatMap((name) => {
    const node = nodes.find((one) => one.name === name);
    const ports = (node?.ports ?? []).map((port) => `${name}.${port.name}`);
    return node?.only_ports ? ports : [name, ...ports];
  });
}

interface InputsFormProps {
  step: StepRow;
  operator: Operator;
  options: readonly string[];
  set: (path: readonly string[], value: unknown) => void;
  wrong: (...path: string[]) => string | null;
}

/** The inputs of a step. */
export function InputsForm({ step, operator, options, set, wrong }: InputsFormProps) {
  const offered = (now: readonly string[]) => [...new Set([...options, ...now.filter(Boolean)])];
  return (
    <>
      {operator.inputs.map((name) => {
        const value = step.params[name];
        if (name === "inputs") {
          return (
            <PathAnchor key={name} path={["steps", step.name, name]}>
              <MultiSelect
                size="xs"
                label={operator.inputLabels[name]}
                data={offered(asTexts(value))}
                value={asTexts(value)}
                error={wrong(name)}
                onChange={(next) => {
                  set([name], next);
                }}
              />
            </PathAnchor>
          );
        }
        return (
          <PathAnchor key={name} path={["steps", step.name, name]}>
            <Select
              label={operator.inputLabels[name]}
              allowDeselect={false}
              data={offered([asText(value)])}
              value={asText(value) || null}
              error={wrong(name)}
              onChange={(next) => {
                set([name], next ?? "");
              }}
            />
          </PathAnchor>
        );
      })}
    </>
  );
}
