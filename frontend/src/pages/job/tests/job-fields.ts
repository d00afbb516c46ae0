/** What a job's sources and outputs have, as the table of a test needs it. No React. */

import type { CheckResult, SchemaField } from "../../../api/types";
import { plainOf } from "../../../composer/document-text";

export interface JobFields {
  /** by source: its stream or table, and its fields */
  sources: Readonly<Record<string, { stream: string; isTable: boolean; fields: readonly SchemaField[] }>>;
  /** by output: the fields of its rows */
  outputs: Readonly<Record<string, readonly SchemaField[]>>;
  /** how often a micro-batch is read, as the document says it */
  trigger: string;
}

interface SourceRef {
  stream?: string;
  table?: string;
}

/** Of a job document and its check; null while one of them can't be read. */
export function fieldsOf(text: string, checked: CheckResult | undefined): JobFields | null {
  const document = plainOf(text) as
    | {
        sources?: Record<string, SourceRef>;
        outputs?: Record<string, { input: string }>;
        settings?: { trigger?: string };
      }
    | null
    | undefined;
  if (!checked || !document) return null;
  const schemaOf = (reference: string): readonly SchemaField[] => {
    const [name, port] = reference.split(".");
    const node = checked.nodes.find((candidate) => candidate.name === name);
    return (port ? node?.ports.find((found) => found.name === port)?.schema : node?.schema) ?? [];
  };
  return {
    sources: Object.fromEntries(
      Object.entries(document.sources ?? {}).map(([name, ref]) => [
        name,
        { stream: ref.stream ?? ref.table ?? "", isTable: ref.table !== undefined, fields: schemaOf(name) },
      ]),
    ),
    outputs: Object.fromEntries(
      Object.entries(document.outputs ?? {}).map(([name, { input }]) => [name, schemaOf(input)]),
    ),
    trigger: document.settings?.trigger ?? "1s",
  };
}
