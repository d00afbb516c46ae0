/** What a preview gave: the steps with their counts, and the rows of one of them. */

import type { CheckedNode, Preview, PreviewStep, SchemaField } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";
import { duration } from "../../ui/format/durations";
import { reasonText } from "../../ui/malformed-reasons";
import { Badge } from "../../ui/status";
import { Time } from "../../ui/time";
import { flowText, lossesOf, malformedOf } from "./counts";
import { LostRows } from "./lost-rows";
import { PreviewRows } from "./preview-rows";
import classes from "./preview.module.css";

interface PreviewResultProps {
  preview: Preview;
  nodes: readonly CheckedNode[];
  /** reference of the step whose rows are shown */
  selected: string | null;
  onSelect: (reference: string) => void;
}

export function PreviewResult(props: PreviewResultProps) {
  const { preview } = props;
  return (
    <>
      {preview.problem && (
        <p role="alert">
          <Badge tone="warn" plain>
            {preview.problem.message}
          </Badge>
        </p>
      )}
      {preview.problem?.raw && (
        <details>
          <summary>Details</summary>
          <pre className={classes["raw"]}>{preview.problem.raw}</pre>
        </details>
      )}
      {preview.steps.some(({ known }) => known) && <Rows {...props} />}
      {preview.sources.map(
        ({ name, around }) =>
          around && (
            <p key={name} className="soft">
              {name} gives records around <Time at={around} long /> (Kafka timestamp), not its newest, to meet
              those of the other sources.
            </p>
          ),
      )}
      <p className={`soft ${classes["foot"] ?? ""}`}>
        {footText(preview)}
        {preview.watermark && (
          <>
            {" "}
            The watermark reached <Time at={preview.watermark} long />.
          </>
        )}
      </p>
      {preview.uses_processing_time.map((sentence) => (
        <p key={sentence} className="soft">
          {sentence}
        </p>
      ))}
    </>
  );
}

/** The steps, and the rows of one of them; a play that was refused has none. */
function Rows({ preview, nodes, selected, onSelect }: PreviewResultProps) {
  const step = stepOf(preview, selected);
  return (
    <div className={classes["result"]}>
      <ul className={classes["steps"]} aria-label="Steps">
        {preview.steps.map((one) => (
          <li key={one.reference}>
            <StepButton
              step={one}
              preview={preview}
              isSelected={one === step}
              onSelect={() => {
                onSelect(one.reference);
              }}
            />
          </li>
        ))}
      </ul>
      {step && (
        <section className={classes["shown"]} aria-label={`Preview of ${step.reference}`}>
          <h3>{step.reference}</h3>
          <p className="soft">{flowText(step)}</p>
          <Losses step={step} preview={preview} />
          {step.first.length ? (
            <PreviewRows step={step} schema={schemaOf(nodes, step.reference)} />
          ) : (
            <p className="soft">{step.empty}</p>
          )}
          <LostRows rows={step.lost} />
        </section>
      )}
    </div>
  );
}

/** The step of a reference, or of a node with several; otherwise the last one. */
export function stepOf(preview: Preview, reference: string | null): PreviewStep | undefined {
  return (
    preview.steps.find((step) => step.reference === reference) ??
    preview.steps.find((step) => step.node === reference) ??
    preview.steps.at(-1)
  );
}

interface StepButtonProps {
  step: PreviewStep;
  preview: Preview;
  isSelected: boolean;
  onSelect: () => void;
}

function StepButton({ step, preview, isSelected, onSelect }: StepButtonProps) {
  return (
    <button type="button" className={classes["step"]} aria-current={isSelected} onClick={onSelect}>
      <span className={classes["name"]}>
        <b>{step.reference}</b> <span className="soft">{step.op}</span>
      </span>
      <span className={classes["count"]}>{step.known ? counted(step.rows, "row") : "–"}</span>
      {lossesOf(step, preview).map(({ kind, text, isMeant }) => (
        <span key={text} className={isMeant ? "soft" : (classes["loss"] ?? "")}>
          {kind === "filtered" ? text : `${isMeant ? "" : "! "}${text}`}
        </span>
      ))}
    </button>
  );
}

function Losses({ step, preview }: { step: PreviewStep; preview: Preview }) {
  const source =
    malformedOf(step, preview) > 0 ? preview.sources.find(({ name }) => name === step.node) : undefined;
  const losses = lossesOf(step, preview).filter(({ kind }) => kind !== "malformed");
  return (
    <>
      {losses.length > 0 && (
        <ul className={classes["losses"]}>
          {losses.map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {source && (
        <ul className={classes["losses"]} aria-label="Malformed records">
          {source.malformed.map(({ reason, records }) => {
            const example = source.left_out.find((record) => record.reason === reason);
            return (
              <li key={reason}>
                {counted(records, "malformed record")}: {reasonText(reason) || reason}
                {example && `, e.g. ${placeText(example)}`}
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

function placeText({ line, partition, offset }: Preview["sources"][number]["left_out"][number]): string {
  return line === null ? `partition ${String(partition)}, offset ${count(offset)}` : `line ${count(line)}`;
}

function footText(preview: Preview): string {
  const read = preview.sources.reduce((sum, { given }) => sum + given, 0);
  const where = preview.standby
    ? "on the standby engine"
    : preview.runs
      ? `on ${preview.engine}, which also executes ${counted(preview.runs, "run")}`
      : `on ${preview.engine}`;
  const shortened = preview.shortened ? " Some rows were left out to keep the answer small." : "";
  const notes = preview.sources
    .map(({ note }) => note)
    .filter((note, at) => note && preview.sources[at]?.given);
  return [
    `${counted(read, "record")} played in ${duration(preview.elapsed_ms)} ${where}.`,
    `Nothing was written.${shortened}`,
    ...notes,
  ].join(" ");
}

function schemaOf(nodes: readonly CheckedNode[], reference: string): readonly SchemaField[] {
  const [name, port] = reference.split(".");
  const node = nodes.find((one) => one.name === name);
  return (port ? node?.ports.find((one) => one.name === port)?.schema : node?.schema) ?? [];
}
