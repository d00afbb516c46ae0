import { ActionIcon, Autocomplete, Button, Checkbox, TextInput } from "@mantine/core";
import type { Inference } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import {
  blankField,
  pathOf,
  TYPES,
  type DraftField,
  type StreamDraft,
  type SampleStats,
} from "./contract-draft";
import { withoutField, withRenamed } from "./named-fields";
import classes from "./register.module.css";

interface FieldsFormProps {
  draft: StreamDraft;
  change: (part: Partial<StreamDraft>) => void;
  inference: Inference | null;
}

export function FieldsForm({ draft, change, inference }: FieldsFormProps) {
  const replace = (id: number, part: Partial<DraftField>) => {
    change({ fields: draft.fields.map((field) => (field.id === id ? { ...field, ...part } : field)) });
  };
  return (
    <>
      {inference && (
        <p className={classes["note"]}>
          Inferred from {counted(inference.scan.records, "record")}; review before registering.
          {inference.malformed > 0 && ` ${counted(inference.malformed, "record")} couldn't be decoded.`}{" "}
          {inference.notes.join(" ")}
        </p>
      )}
      {!draft.fields.length && <p className={classes["note"]}>No fields yet.</p>}
      {draft.fields.length > 0 && (
        <div className={`${classes["field"] ?? ""} ${classes["head"] ?? ""}`} aria-hidden>
          <span>Field</span>
          <span title={PATH_HINT}>Source path</span>
          <span>Type</span>
          <span />
          <span />
          <span />
        </div>
      )}
      {draft.fields.map((field) => (
        <div key={field.id} className={classes["field"]}>
          <TextInput
            aria-label="Field name"
            value={field.name}
            onChange={(e) => {
              change(withRenamed(draft, field.id, e.currentTarget.value));
            }}
          />
          <TextInput
            aria-label={`Source path of ${field.name || "the field"}`}
            placeholder={field.name || "Same name"}
            value={field.readFrom}
            disabled={draft.encoding.format === "text" && !draft.key.includes(field.name)}
            error={field.readFrom.trim() !== "" && pathOf(draft, field) === undefined}
            onChange={(e) => {
              replace(field.id, { readFrom: e.currentTarget.value });
            }}
          />
          <Autocomplete
            size="xs"
            aria-label={`Type of ${field.name}`}
            data={[...TYPES]}
            value={field.type}
            onChange={(type) => {
              replace(field.id, { type });
            }}
          />
          <Checkbox
            size="xs"
            label="Nullable"
            checked={field.nullable}
            onChange={(e) => {
              replace(field.id, { nullable: e.currentTarget.checked });
            }}
          />
          <span className={classes["notes"]}>
            {draft.key.includes(field.name) && (
              <>
                <strong>Key field.</strong>{" "}
              </>
            )}
            {field.sample && <SampleHints sample={field.sample} />}
          </span>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            aria-label={`Remove ${field.name || "the field"}`}
            onClick={() => {
              change(withoutField(draft, field.id));
            }}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </div>
      ))}
      <div className={classes["note"]}>
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => {
            change({ fields: [...draft.fields, blankField()] });
          }}
        >
          Add a field
        </Button>
      </div>
    </>
  );
}

const PATH_HINT = 'Path in the record, e.g. user.id, tags[0], or ["a.b"] for a name with a dot';

const HINTS: Readonly<Record<SampleStats["hints"][number]["kind"], string>> = {
  time: "Likely a time",
  id: "Likely an ID",
  enum: "Likely an enum",
};

/** How sure the sample is of a field: how often it was there, as what, and what its values look like. */
function SampleHints({
  sample: { present, records, kinds, hints, notes, examples },
}: {
  sample: SampleStats;
}) {
  return (
    <>
      <span>
        {present === records
          ? `In all ${counted(records, "record")}`
          : `In ${count(present)} of ${counted(records, "record")}`}
        {kinds.length > 0 && `, as ${kindsText(kinds)}`}.{" "}
      </span>
      {hints.map(({ kind, reason, values }) => (
        <span key={kind}>
          <strong>{HINTS[kind]}</strong>: {reason}{" "}
          {values.length > 0 && <code>{values.join(", ")}</code>}{" "}
        </span>
      ))}
      {notes
        .filter((note) => !note.startsWith("Missing"))
        .map((note) => (
          <span key={note}>{note} </span>
        ))}
      {examples.length > 0 && hints.every(({ values }) => !values.length) && (
        <>
          e.g. <code>{examples.slice(0, 3).join(", ")}</code>
        </>
      )}
    </>
  );
}

/** The kinds of a field's values, with their counts if there are several. */
function kindsText(kinds: SampleStats["kinds"]): string {
  const texts = kinds.map(({ kind, count: times }) =>
    kinds.length > 1 ? `${kind} (${count(times)})` : kind,
  );
  return texts.join(", ");
}
