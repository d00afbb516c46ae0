/** What a job's sources and outputs have, as the table of a test needs it. No React. */

import { ownValue } from "../../../api/own-value";
import type { CheckResult, SchemaField } from "../../../api/types";
import { asText } from "../../../composer/form/values";
import { readOutline, type WrittenNames } from "../../../composer/outline";

export interface JobFields {
  /** by source: its stream or table, and its fields */
  sources: Readonly<Record<string, { stream: string; isTable: boolean; fields: readonly SchemaField[] }>>;
  /** by output: the members of its rows, under the names that are written */
  outputs: Readonly<Record<string, readonly SchemaField[]>>;
  /** how often a micro-batch is read, as the document says it */
  trigger: string;
}

/** Of a job document and its check; null while one of them can't be read. */
export function fieldsOf(text: string, checked: CheckResult | undefined): JobFields | null {
  const read = readOutline(text);
  if (!checked || !("outline" in read)) return null;
  const { sources, outputs, settings } = read.outline;
  const schemaOf = (reference: string): readonly SchemaField[] => {
    const [name, port] = reference.split(".");
    const node = checked.nodes.find((candidate) => candidate.name === name);
    return (port ? node?.ports.find((found) => found.name === port)?.schema : node?.schema) ?? [];
  };
  return {
    sources: Object.fromEntries(
      sources.map(({ name, kind, of }) => [
        name,
        { stream: of, isTable: kind === "table", fields: schemaOf(name) },
      ]),
    ),
    outputs: Object.fromEntries(
      outputs.map(({ name, input, names }) => [name, writtenFields(schemaOf(input), names)]),
    ),
    trigger: asText(settings["trigger"]) || "1s",
  };
}

/** The members of an output's rows; an object in which fields are written is one. */
function writtenFields(fields: readonly SchemaField[], names: WrittenNames): readonly SchemaField[] {
  const members = new Map<string, SchemaField>();
  for (const field of fields) {
    const [name = field.name, ...inside] = ownValue(names, field.name) ?? [];
    members.set(name, inside.length ? { name, type: "struct", nullable: false } : { ...field, name });
  }
  return [...members.values()];
}
