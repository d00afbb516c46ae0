import { ActionIcon, Autocomplete, Button, Select } from "@mantine/core";
import { useStreams } from "../../api/streams";
import type { Problem, SchemaField } from "../../api/types";
import { Icon } from "../../ui/icons";
import { addTopicOutput, removeOutput, setOutput } from "../document-edits";
import type { Outline, OutputRow } from "../outline";
import { problemsAt } from "../problem-list";
import { PathAnchor } from "./path-anchor";
import { WrittenNamesField } from "./written-names";
import classes from "../composer.module.css";

interface OutputsFormProps {
  text: string;
  onChange: (text: string) => void;
  outline: Outline;
  options: readonly string[];
  schemaOf: (reference: string) => readonly SchemaField[];
  problems: readonly Problem[];
}

/** The outputs of a job: one live result and any number of topics. */
export function OutputsForm({ text, onChange, outline, options, schemaOf, problems }: OutputsFormProps) {
  return (
    <div className={classes["form"]}>
      {outline.outputs.map((output) => (
        <OutputEditor
          key={output.name}
          output={output}
          text={text}
          onChange={onChange}
          options={options}
          schema={schemaOf(output.input)}
          problems={problems}
        />
      ))}
      <Button
        variant="subtle"
        style={{ alignSelf: "flex-start" }}
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => {
          onChange(addTopicOutput(text, outline));
        }}
      >
        Add topic output
      </Button>
    </div>
  );
}

interface OutputEditorProps extends Pick<OutputsFormProps, "text" | "onChange" | "options" | "problems"> {
  output: OutputRow;
  schema: readonly SchemaField[];
}

/** The form of one output of a document. */
export function OutputEditor({ output, text, onChange, options, schema, problems }: OutputEditorProps) {
  return (
    <PathAnchor path={["outputs", output.name]}>
      <OutputForm
        output={output}
        options={options}
        wrong={problemsAt(
          problems.filter(({ path }) => path[2] !== "to"),
          ["outputs", output.name],
        )}
        topicWrong={problemsAt(
          problems.filter(({ path }) => path[3] !== "names"),
          ["outputs", output.name, "to"],
        )}
        schema={schema}
        problems={problems}
        onChange={(row) => {
          onChange(setOutput(text, output.name, row));
        }}
        onRemove={() => {
          onChange(removeOutput(text, output.name));
        }}
      />
    </PathAnchor>
  );
}

interface OutputFormProps {
  output: OutputRow;
  options: readonly string[];
  schema: readonly SchemaField[];
  problems: readonly Problem[];
  wrong: string | null;
  topicWrong: string | null;
  onChange: (row: Omit<OutputRow, "name">) => void;
  onRemove: () => void;
}

function OutputForm({
  output,
  options,
  schema,
  problems,
  wrong,
  topicWrong,
  onChange,
  onRemove,
}: OutputFormProps) {
  const data = [...new Set([...options, output.input].filter(Boolean))];
  const { topic, format } = output;
  const streams = useStreams().data?.results ?? [];
  return (
    <div className={topic === null ? undefined : classes["outputRow"]}>
      <div className={classes["row"]}>
        <Select
          label={topic === null ? "Live result" : "Input"}
          {...(topic === null && { description: "Shown live, stored by key, served over REST" })}
          allowDeselect={false}
          data={data}
          value={output.input || null}
          error={wrong}
          onChange={(input) => {
            onChange({ ...output, input: input ?? "" });
          }}
        />
        {topic !== null && (
          <>
            <Autocomplete
              size="xs"
              label="Topic"
              description="Registered stream or its topic"
              data={streams.map(({ name }) => name)}
              value={topic}
              error={topicWrong}
              onChange={(next) => {
                onChange({ ...output, topic: next });
              }}
            />
            <Select
              label="Format"
              allowDeselect={false}
              data={[
                { value: "json", label: "JSON" },
                { value: "avro", label: "Avro (schema registered at start)" },
              ]}
              value={format}
              onChange={(value) => {
                onChange({ ...output, format: value === "avro" ? "avro" : "json" });
              }}
            />
          </>
        )}
      </div>
      {topic !== null && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={`Remove output ${topic || output.name}`}
          onClick={onRemove}
        >
          <Icon name="close" size={14} />
        </ActionIcon>
      )}
      {topic !== null && (
        <WrittenNamesField
          output={output.name}
          schema={schema}
          names={output.names}
          problems={problems}
          onChange={(names) => {
            onChange({ ...output, names });
          }}
        />
      )}
    </div>
  );
}
