import { Select, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { EventTime, TimeField, TimeUnit } from "../../api/types";
import { eventTimeText } from "../../ui/labels";
import { Term } from "../../ui/term";
import type { DraftField, StreamDraft } from "./contract-draft";
import { CLOCKS, fittedTo, ruleFor, ruleOf, timeFieldFor, type Clock } from "./event-time-rule";
import classes from "./register.module.css";

interface EventTimeFormProps {
  draft: StreamDraft;
  change: (part: Partial<StreamDraft>) => void;
  candidates: readonly (EventTime & { reason: string })[];
  /** what was measured of the order of records */
  measured?: ReactNode;
}

// No field has such a name.
const KAFKA_TIMESTAMP = "";
const CHANGE = "*change";
const CORRECTED = "*corrected";

const READINGS: Readonly<Record<Clock, { label: string; description: string }>> = {
  device: { label: "Event timestamp", description: "Device clock" },
  sent: { label: "Send timestamp", description: "Device clock" },
  received: { label: "Receive timestamp", description: "Trusted clock" },
};

/** Each name once: while one is typed it may be another field's for a moment, and no list takes it twice. */
function choicesOf(fields: readonly DraftField[]): { value: string; label: string }[] {
  const first = fields.filter(
    ({ name }, at) => name && fields.findIndex((other) => other.name === name) === at,
  );
  return first.map(({ name, type }) => ({ value: name, label: `${name} (${type})` }));
}

export function EventTimeForm({ draft, change, candidates, measured }: EventTimeFormProps) {
  const rule = draft.eventTime;
  const field = draft.fields.find(({ name }) => name === rule.field);
  const set = (part: Partial<EventTime>) => {
    change({ eventTime: { ...rule, ...part } });
  };
  const choose = (name: string | null) => {
    const chosen = draft.fields.find((one) => one.name === name);
    if (name === CHANGE) {
      change({ eventTime: { kind: "change" } });
      return;
    }
    if (name === CORRECTED) {
      change({ eventTime: { kind: "corrected" } });
      return;
    }
    const candidate = candidates.find((one) => one.field === name);
    change({
      eventTime: candidate ? ruleOf(candidate) : chosen ? ruleFor(chosen) : { kind: "kafka_timestamp" },
    });
  };
  const reason = candidates.find((one) => one.field === rule.field)?.reason;
  return (
    <div className={classes["form"]}>
      <div className={classes["row"]}>
        <Select
          label={<Term name="Event time">Event time source</Term>}
          allowDeselect={false}
          description={reason ?? "Drives windows and watermarks"}
          data={[
            { value: KAFKA_TIMESTAMP, label: "Kafka timestamp" },
            ...(draft.encoding.format === "debezium" ? [{ value: CHANGE, label: "Change timestamp" }] : []),
            { value: CORRECTED, label: "Device clock, skew-corrected" },
            ...choicesOf(draft.fields),
          ]}
          value={rule.kind === "field" ? (rule.field ?? KAFKA_TIMESTAMP) : TAKEN_FROM[rule.kind]}
          onChange={choose}
        />
        {rule.kind === "field" && field && (
          <HowToRead rule={{ ...rule, field: field.name }} type={field.type} set={set} />
        )}
        {(rule.kind === "field" || rule.kind === "corrected") && (
          <Select
            label="If missing or invalid"
            description="What happens to the record"
            allowDeselect={false}
            data={[
              { value: "malformed", label: "Reject as malformed" },
              { value: "kafka_timestamp", label: "Use Kafka timestamp" },
            ]}
            value={rule.on_missing ?? "malformed"}
            onChange={(value) => {
              set({ on_missing: value === "kafka_timestamp" ? "kafka_timestamp" : "malformed" });
            }}
          />
        )}
      </div>
      {rule.kind === "corrected" &&
        CLOCKS.map((clock) => (
          <ReadingOf
            key={clock}
            clock={clock}
            read={rule[clock] ?? null}
            fields={draft.fields}
            set={(read) => {
              change({ eventTime: ruleOf({ ...rule, [clock]: read }) });
            }}
          />
        ))}
      <div className={classes["row"]}>
        <TextInput
          label={<Term>Watermark delay</Term>}
          description={
            draft.kind === "table"
              ? "How late a record may be. Leave empty to exclude the table from the watermark"
              : "How late a record may be"
          }
          value={draft.delay}
          onChange={(e) => {
            change({ delay: e.currentTarget.value });
          }}
        />
        <TextInput
          label={<Term>Max future skew</Term>}
          description="Rejects records too far ahead of the Kafka timestamp. Leave empty to skip"
          value={draft.maxAhead}
          onChange={(e) => {
            change({ maxAhead: e.currentTarget.value });
          }}
        />
      </div>
      {measured}
      <p className="soft">
        Event time: {eventTimeText(fittedTo(rule, draft.fields))}. Durations: 250ms, 5s, 1h30m.
      </p>
    </div>
  );
}

const TAKEN_FROM = { kafka_timestamp: KAFKA_TIMESTAMP, change: CHANGE, corrected: CORRECTED } as const;

interface ReadingOfProps {
  clock: Clock;
  read: TimeField | null;
  fields: readonly DraftField[];
  set: (read: TimeField | null) => void;
}

/** The field that holds one of a device's times; the time of receiving may be Kafka's. */
function ReadingOf({ clock, read, fields, set }: ReadingOfProps) {
  const field = fields.find(({ name }) => name === read?.field);
  const kafkaTimestamp = clock === "received" ? [{ value: KAFKA_TIMESTAMP, label: "Kafka timestamp" }] : [];
  return (
    <div className={classes["row"]}>
      <Select
        {...READINGS[clock]}
        placeholder="Select a field"
        allowDeselect={false}
        data={[...kafkaTimestamp, ...choicesOf(fields)]}
        value={read?.field ?? (clock === "received" ? KAFKA_TIMESTAMP : null)}
        onChange={(name) => {
          const chosen = fields.find((one) => one.name === name);
          set(chosen ? timeFieldFor(chosen) : null);
        }}
      />
      {read && field && (
        <HowToRead
          rule={read}
          type={field.type}
          set={(part) => {
            set({ ...read, ...part });
          }}
        />
      )}
    </div>
  );
}

const UNITS: readonly { value: TimeUnit; label: string }[] = [
  { value: "s", label: "seconds" },
  { value: "ms", label: "milliseconds" },
  { value: "us", label: "microseconds" },
  { value: "ns", label: "nanoseconds" },
];

function HowToRead({
  rule,
  type,
  set,
}: {
  rule: TimeField;
  type: string;
  set: (part: Partial<TimeField>) => void;
}) {
  if (type === "timestamp") return null;
  if (type === "date")
    return (
      <TextInput
        label="Time zone"
        description="A date is read as local midnight"
        value={rule.zone ?? "UTC"}
        onChange={(e) => {
          set({ zone: e.currentTarget.value });
        }}
      />
    );
  if (type === "string") {
    return (
      <>
        <TextInput
          label="Format"
          description="iso, or a pattern, e.g. yyyy-MM-dd HH:mm:ss"
          value={rule.format ?? "iso"}
          onChange={(e) => {
            set({ format: e.currentTarget.value });
          }}
        />
        <TextInput
          label="Time zone"
          description="For strings without a UTC offset"
          value={rule.zone ?? "UTC"}
          onChange={(e) => {
            set({ zone: e.currentTarget.value });
          }}
        />
      </>
    );
  }
  return (
    <Select
      label="Unit"
      description="Since 1970-01-01 UTC"
      allowDeselect={false}
      data={[...UNITS]}
      value={rule.unit ?? "ms"}
      onChange={(unit) => {
        set({ unit: UNITS.find(({ value }) => value === unit)?.value ?? "ms" });
      }}
    />
  );
}
