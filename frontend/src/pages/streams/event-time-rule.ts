/** The event-time rule of a contract. No React. */

import type { EventTime, SchemaField, TimeField } from "../../api/types";

/**
 * The three times that correct a device's clock: event and sending by that clock, receiving by a correct one.
 */
export const CLOCKS = ["device", "sent", "received"] as const;

export type Clock = (typeof CLOCKS)[number];

/** A candidate without its reason. */
export function ruleOf({
  kind,
  field,
  unit,
  format,
  zone,
  device,
  sent,
  received,
  on_missing,
}: EventTime): EventTime {
  return {
    kind,
    ...(field && { field }),
    ...(unit && { unit }),
    ...(format && { format }),
    ...(zone && { zone }),
    ...(device && { device }),
    ...(sent && { sent }),
    ...(received && { received }),
    ...(on_missing && { on_missing }),
  };
}

/** The event-time rule that fits a field of that type. */
export function ruleFor(field: SchemaField): EventTime {
  return { kind: "field", ...timeFieldFor(field) };
}

/** How a field of that type holds an instant, most likely. */
export function timeFieldFor({ name, type }: SchemaField): TimeField {
  if (type === "string") return { field: name, format: "iso" };
  return type === "timestamp" || type === "date" ? { field: name } : { field: name, unit: "ms" };
}

/** The rule as fields of these types are read; a unit or a format stays where its type still needs one. */
export function fittedTo(rule: EventTime, fields: readonly SchemaField[]): EventTime {
  const fitted = (read: TimeField): TimeField => {
    const field = fields.find(({ name }) => name === read.field);
    return field ? readAs(field, read) : read;
  };
  const { kind, field, unit, format, zone, device, sent, received, on_missing } = rule;
  if (kind === "field" && field)
    return ruleOf({ kind, on_missing, ...fitted({ field, unit, format, zone }) });
  return ruleOf({
    ...rule,
    device: device && fitted(device),
    sent: sent && fitted(sent),
    received: received && fitted(received),
  });
}

function readAs(field: SchemaField, { unit, format, zone }: TimeField): TimeField {
  const likely = timeFieldFor(field);
  return {
    ...likely,
    ...(likely.unit && unit && { unit }),
    ...(likely.format && format && { format }),
    ...(zone && { zone }),
  };
}

/** The declared fields that an event time is read from. */
export function timeFieldsOf(rule: EventTime): string[] {
  if (rule.kind === "field") return rule.field ? [rule.field] : [];
  return rule.kind === "corrected" ? CLOCKS.flatMap((clock) => rule[clock]?.field ?? []) : [];
}

/** The rule after a declared field was renamed. */
export function withTimeField(rule: EventTime, before: string, name: string): EventTime {
  if (rule.kind === "field") return { ...rule, field: name };
  const renamed = (read: EventTime[Clock]) => (read?.field === before ? { ...read, field: name } : read);
  return ruleOf({
    ...rule,
    device: renamed(rule.device),
    sent: renamed(rule.sent),
    received: renamed(rule.received),
  });
}
