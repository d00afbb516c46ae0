import { ActionIcon, Button, Select } from "@mantine/core";
import { Link } from "wouter";
import { useStreams } from "../../api/streams";
import type { CheckedNode, Problem } from "../../api/types";
import { Icon } from "../../ui/icons";
import { TERMS } from "../../ui/terms";
import { Empty } from "../../ui/placeholders";
import { Fields } from "../node-details";
import { carriedList, useCarriedStreams } from "../carried-streams";
import { SourceData } from "../data/source-data";
import { addSource, removeSource, setDelay, setSource } from "../document-edits";
import type { Outline, SourceRow } from "../outline";
import { problemsAt } from "../problem-list";
import { durationText } from "../../ui/labels";
import { defaultHint } from "../parameters";
import { DurationInput } from "./duration-input";
import { PathAnchor } from "./path-anchor";
import classes from "../composer.module.css";

interface SourcesFormProps {
  text: string;
  onChange: (text: string) => void;
  outline: Outline;
  problems: readonly Problem[];
  nodes: readonly CheckedNode[];
}

/** The sources of a job. */
export function SourcesForm({ text, onChange, outline, problems, nodes }: SourcesFormProps) {
  const { streams, names, kindOf } = useKnownStreams();
  if (streams?.length === 0) {
    return (
      <Empty
        title="No streams yet"
        action={
          <Button component={Link} href="/new-stream">
            Register a stream
          </Button>
        }
      >
        Register a Kafka topic as a stream to read it.
      </Empty>
    );
  }
  return (
    <div className={classes["form"]}>
      {outline.sources.map((source) => (
        <SourceForm
          key={source.name}
          source={source}
          text={text}
          onChange={onChange}
          isOnly={outline.sources.length === 1}
          problems={problems}
          nodes={nodes}
        />
      ))}
      <Select
        label={outline.sources.length ? "Add source" : "Stream"}
        placeholder="Select a stream or table"
        searchable
        data={names}
        value={null}
        onChange={(of) => {
          if (of) onChange(addSource(text, outline, kindOf(of), of));
        }}
      />
    </div>
  );
}

interface SourceFormProps extends Pick<SourcesFormProps, "text" | "onChange" | "problems" | "nodes"> {
  source: SourceRow;
  /** a job keeps one source: the only one has no button that removes it */
  isOnly: boolean;
}

/** One source: its stream or table and its watermark delay. */
export function SourceForm({ source, text, onChange, isOnly, problems, nodes }: SourceFormProps) {
  const { names, contractOf, kindOf, isRegistered } = useKnownStreams();
  return (
    <PathAnchor path={["sources", source.name]}>
      <div>
        <div className={classes["sourceRow"]}>
          <Select
            label={source.kind === "table" ? "Table" : "Stream"}
            searchable
            allowDeselect={false}
            {...(source.name !== source.of && { description: `Alias: ${source.name}` })}
            data={[...new Set([...names, source.of])]}
            value={source.of}
            error={
              problemsAt(problems, ["sources", source.name, "delay"])
                ? null
                : problemsAt(problems, ["sources", source.name])
            }
            onChange={(of) => {
              if (of) onChange(setSource(text, source.name, kindOf(of), of));
            }}
          />
          <DurationInput
            label="Watermark delay"
            title={TERMS["Watermark delay"]}
            placeholder={
              source.kind === "table"
                ? "Excluded from watermark"
                : defaultHint(durationText(contractOf(source.of)?.delay ?? "10s"))
            }
            value={source.delay}
            error={problemsAt(problems, ["sources", source.name, "delay"])}
            onChange={(delay) => {
              onChange(setDelay(text, source.name, delay));
            }}
          />
          {!isOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={`Remove source ${source.name}`}
              onClick={() => {
                onChange(removeSource(text, source.name));
              }}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          )}
        </div>
        <div style={{ marginTop: 8 }}>
          <FieldsOf node={nodes.find((node) => node.name === source.name)} />
          {isRegistered && <SourceData stream={source.of} />}
        </div>
      </div>
    </PathAnchor>
  );
}

/** What the workspace has registered. */
function useKnownStreams() {
  const carried = useCarriedStreams();
  const registered = useStreams().data?.results;
  const streams = carried ? carriedList(carried) : registered;
  const contractOf = (name: string): { kind?: string; delay?: string | null } | undefined =>
    streams?.find((stream) => stream.name === name)?.contract;
  const kindOf = (name: string) => (contractOf(name)?.kind === "table" ? "table" : "stream");
  const names = (streams ?? []).map(({ name }) => name);
  return { streams, names, contractOf, kindOf, isRegistered: carried === null };
}

function FieldsOf({ node }: { node: CheckedNode | undefined }) {
  return node ? <Fields schema={node.schema} /> : <span className={classes["fields"]}>Fields: –</span>;
}
