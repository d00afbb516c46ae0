import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { Link } from "wouter";
import { useStreams } from "../../api/streams";
import type { CheckedNode, Problem } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/states";
import { addStep, FORM_OPERATORS, readChain, removeStep, setHead, setStream, type Chain } from "../chain";
import { Fields } from "../findings";
import { problemsAt } from "../problem-list";
import { SettingsForm } from "./settings-form";
import { StepForm } from "./step-form";
import classes from "../composer.module.css";

interface FormProps { text: string; onChange: (text: string) => void; problems: readonly Problem[]; nodes: readonly CheckedNode[] }

/** The document as a form: source, steps in order, settings. */
export function Form(props: FormProps) {
  const reading = readChain(props.text);
  if ("unfit" in reading) return <Panel><Empty title="The form cannot show this document">{reading.unfit}</Empty></Panel>;
  return <ChainForm {...props} chain={reading.chain} />;
}

const ADD_WORDS: Readonly<Record<(typeof FORM_OPERATORS)[number], string>> = {
  filter: "Filter",
  derive: "Derive fields",
  select: "Select fields",
  split: "Split text",
  aggregate: "Group and measure",
};

function ChainForm({ text, onChange, problems, nodes, chain }: FormProps & { chain: Chain }) {
  const schemaOf = (name: string) => nodes.find((node) => node.name === name)?.schema ?? [];
  return (
    <div className={classes["form"]}>
      <Panel title="Job">
        <div className={classes["form"]}>
          <TextInput label="Name" required value={chain.name} error={problemsAt(problems, ["name"])} onChange={(e) => { onChange(setHead(text, "name", e.currentTarget.value)); }} />
          <Textarea label="Description" autosize minRows={1} maxRows={4} value={chain.description} onChange={(e) => { onChange(setHead(text, "description", e.currentTarget.value)); }} />
        </div>
      </Panel>
      <Panel title="Source"><SourceForm text={text} onChange={onChange} problems={problems} nodes={nodes} chain={chain} /></Panel>
      {chain.steps.map((step, index) => (
        <StepForm
          key={step.name}
          number={index + 1}
          step={step}
          schema={schemaOf(step.input)}
          text={text}
          onChange={onChange}
          problems={problems}
          onRemove={() => { onChange(removeStep(text, chain, step.name)); }}
        />
      ))}
      {chain.source && (
        <div className={classes["adders"]}>
          <span className="soft">Add a step:</span>
          {FORM_OPERATORS.map((op) => (
            <Button key={op} variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => { onChange(addStep(text, chain, op)); }}>{ADD_WORDS[op]}</Button>
          ))}
        </div>
      )}
      <Panel title="How it runs"><SettingsForm text={text} onChange={onChange} settings={chain.settings} /></Panel>
    </div>
  );
}

function SourceForm({ text, onChange, problems, nodes, chain }: FormProps & { chain: Chain }) {
  const streams = useStreams().data?.results;
  const source = chain.source;
  if (streams?.length === 0) {
    return <Empty title="No stream is registered" action={<Button component={Link} href="/streams/new">Register a stream</Button>}>A job reads registered topics. Register one first.</Empty>;
  }
  return (
    <>
      <Select
        label="Stream"
        placeholder="Choose a stream"
        searchable
        data={(streams ?? []).map(({ name }) => name)}
        value={source?.stream ?? null}
        error={source ? problemsAt(problems, ["sources", source.name]) : null}
        onChange={(stream) => { if (stream) onChange(setStream(text, chain, stream)); }}
      />
      {source && <div style={{ marginTop: 8 }}><Fields schema={nodes.find((node) => node.name === source.name)?.schema ?? []} /></div>}
    </>
  );
}
