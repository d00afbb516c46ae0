/** What each source gives to a preview. */

import { FileInput, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { bytes } from "../../ui/format/numbers";
import { KINDS, MAX_FILE_BYTES, MAX_RECORDS, NEWEST, missing, type Choice } from "./choices";
import classes from "./preview.module.css";

interface SourceChoicesProps {
  sources: readonly string[];
  choices: Readonly<Record<string, Choice>>;
  onChange: (source: string, choice: Choice) => void;
}

export function SourceChoices({ sources, choices, onChange }: SourceChoicesProps) {
  return (
    <div className={classes["choices"]}>
      {sources.map((name) => (
        <SourceFields
          key={name}
          name={name}
          choice={choices[name] ?? NEWEST}
          onChange={(choice) => {
            onChange(name, choice);
          }}
        />
      ))}
    </div>
  );
}

interface SourceFieldsProps {
  name: string;
  choice: Choice;
  onChange: (choice: Choice) => void;
}

function SourceFields({ name, choice, onChange }: SourceFieldsProps) {
  const set = (change: Partial<Choice>) => {
    onChange({ ...choice, ...change });
  };
  return (
    <fieldset className={classes["choice"]}>
      <legend>{name}</legend>
      <Select
        label="Records"
        data={KINDS}
        value={choice.kind ?? "newest"}
        allowDeselect={false}
        onChange={(kind) => {
          set({ kind: KINDS.find(({ value }) => value === kind)?.value ?? "newest" });
        }}
      />
      {choice.kind !== "lines" && (
        <NumberInput
          label="Number of records"
          min={1}
          max={MAX_RECORDS}
          value={choice.records}
          onChange={(value) => {
            set({ records: Number(value) || 1 });
          }}
        />
      )}
      {choice.kind === "time" && (
        <TextInput
          type="datetime-local"
          step={1}
          label="From (Kafka timestamp, local time)"
          value={choice.time}
          error={missing(choice)}
          onChange={(event) => {
            set({ time: event.currentTarget.value });
          }}
        />
      )}
      {choice.kind === "key" && (
        <TextInput
          label="Key (text)"
          value={choice.key}
          error={missing(choice)}
          onChange={(event) => {
            set({ key: event.currentTarget.value });
          }}
        />
      )}
      {choice.kind === "lines" && <LineFields choice={choice} set={set} />}
    </fieldset>
  );
}

function LineFields({ choice, set }: { choice: Choice; set: (change: Partial<Choice>) => void }) {
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  return (
    <>
      <Textarea
        label="Records, one JSON value per line"
        description="Or lines of an export. Their Kafka timestamp is now, unless an export says another."
        autosize
        minRows={3}
        maxRows={10}
        value={choice.lines}
        error={missing(choice)}
        classNames={{ input: classes["lines"] ?? "" }}
        onChange={(event) => {
          set({ lines: event.currentTarget.value });
        }}
      />
      <FileInput
        label="Read a file"
        placeholder={`Up to ${bytes(MAX_FILE_BYTES)}`}
        accept=".json,.jsonl,.ndjson,.txt,.csv"
        error={tooLarge}
        onChange={(file) => {
          if (!file) return;
          if (file.size > MAX_FILE_BYTES) {
            setTooLarge(`The file has ${bytes(file.size)}; a preview reads ${bytes(MAX_FILE_BYTES)}.`);
            return;
          }
          setTooLarge(null);
          void file.text().then((lines) => {
            set({ lines });
          });
        }}
      />
    </>
  );
}
