/** What each source gives to a preview. */

import { Button, FileInput, Select, Textarea, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { ApiError } from "../../api/client";
import { ownValue } from "../../api/own-value";
import { useSaveSample } from "../../api/streams";
import { bytes } from "../../ui/format/numbers";
import { NumberField } from "../../ui/number-field";
import { utf8Text } from "../../ui/text-file";
import { KINDS, MAX_FILE_BYTES, MAX_RECORDS, NEWEST, missing, type Choice } from "./choices";
import classes from "./preview.module.css";

const TYPED: readonly Choice["kind"][] = ["lines", "sample"];

interface SourceChoicesProps {
  /** by name of the source, the stream that it reads */
  sources: readonly { name: string; stream: string }[];
  choices: Readonly<Record<string, Choice>>;
  onChange: (source: string, choice: Choice) => void;
}

export function SourceChoices({ sources, choices, onChange }: SourceChoicesProps) {
  return (
    <div className={classes["choices"]}>
      {sources.map(({ name, stream }) => (
        <SourceFields
          key={name}
          name={name}
          stream={stream}
          choice={ownValue(choices, name) ?? NEWEST}
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
  stream: string;
  choice: Choice;
  onChange: (choice: Choice) => void;
}

function SourceFields({ name, stream, choice, onChange }: SourceFieldsProps) {
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
      {!TYPED.includes(choice.kind) && (
        <NumberField
          label="Number of records"
          min={1}
          max={MAX_RECORDS}
          value={choice.records}
          onChange={(records) => {
            set({ records });
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
          label="Key"
          description="As the stream writes it: the values of its key fields as JSON, or text."
          value={choice.key}
          error={missing(choice)}
          onChange={(event) => {
            set({ key: event.currentTarget.value });
          }}
        />
      )}
      {choice.kind === "lines" && <LineFields stream={stream} choice={choice} set={set} />}
    </fieldset>
  );
}

interface LineFieldsProps {
  stream: string;
  choice: Choice;
  set: (change: Partial<Choice>) => void;
}

function LineFields({ stream, choice, set }: LineFieldsProps) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const reset = useRef<() => void>(null);
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
        error={refusal}
        resetRef={reset}
        onChange={(file) => {
          reset.current?.(); // a browser tells nothing of a file that is chosen twice
          if (!file) return;
          if (file.size > MAX_FILE_BYTES) {
            setRefusal(`The file has ${bytes(file.size)}; a preview reads ${bytes(MAX_FILE_BYTES)}.`);
            return;
          }
          setRefusal(null);
          void utf8Text(file).then((lines) => {
            if (lines === null) setRefusal("Not UTF-8 text. Save the file as UTF-8 and select it again.");
            else set({ lines });
          });
        }}
      />
      <SaveSample stream={stream} lines={choice.lines} />
    </>
  );
}

/** Keeps typed records with the stream, for everybody who previews a job of it. */
function SaveSample({ stream, lines }: { stream: string; lines: string }) {
  const save = useSaveSample(stream);
  if (!stream || !lines.trim()) return null;
  return (
    <div>
      <Button
        variant="default"
        size="compact-sm"
        loading={save.isPending}
        onClick={() => {
          save.mutate(lines);
        }}
      >
        Save as the sample of {stream}
      </Button>
      <span role="status" className="soft">
        {save.isSuccess && save.variables === lines && " Saved: choose The stream's own sample to use it."}
        {save.isError &&
          ` ${save.error instanceof ApiError ? save.error.message : "Couldn't save the sample"}`}
      </span>
    </div>
  );
}
