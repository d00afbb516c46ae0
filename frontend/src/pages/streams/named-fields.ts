/** Fields that change, and the key and event time that name them. No React. */

import type { DraftField, StreamDraft } from "./contract-draft";
import { timeFieldsOf, withTimeField } from "./event-time-rule";

type Named = Pick<StreamDraft, "fields" | "eventTime" | "key">;

/**
 * A field with another name; an event time and a key that are read from it follow. Letter by letter it may
 * have another field's name for a while: what is read from that one stays there.
 */
export function withRenamed({ fields, eventTime, key }: Named, id: number, name: string): Named {
  return followed({
    fields: fields.map((field) => (field.id === id ? { ...field, name, knownAs: knownName(field) } : field)),
    eventTime,
    key,
  });
}

/** Without a field; a key does not name it any more. */
export function withoutField({ fields, eventTime, key }: Named, id: number): Named {
  const gone = fields.find((field) => field.id === id);
  const left = fields.filter((field) => field !== gone);
  const isNamed = (name: string) => left.some((field) => knownName(field) === name);
  return followed({
    fields: left,
    eventTime,
    key: gone ? key.filter((name) => name !== knownName(gone) || isNamed(name)) : key,
  });
}

function knownName({ name, knownAs }: DraftField): string {
  return knownAs ?? name;
}

/** Event time and key with the names of renamed fields, once these are their own. */
function followed({ fields, eventTime, key }: Named): Named {
  const isSettled = ({ id, name, knownAs }: DraftField) =>
    knownAs !== undefined && name !== "" && !fields.some((other) => other.id !== id && other.name === name);
  const settled = fields.filter(isSettled);
  return {
    fields: fields.map((field) => (isSettled(field) ? { ...field, knownAs: undefined } : field)),
    eventTime: settled.reduce(
      (rule, { name, knownAs = "" }) =>
        timeFieldsOf(rule).includes(knownAs) ? withTimeField(rule, knownAs, name) : rule,
      eventTime,
    ),
    key: key.map((one) => settled.find(({ knownAs }) => knownAs === one)?.name ?? one),
  };
}
