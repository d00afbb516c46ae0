import { useState, type ReactNode } from "react";
import type { Inference } from "../../api/types";
import { Panel } from "../../ui/page";
import { withEncoding, withInference, type Part, type StreamDraft } from "./contract-draft";
import { EncodingForm } from "./encoding-form";
import { EventTimeForm } from "./event-time-form";
import { FieldsForm } from "./fields-form";
import { FieldsSource } from "./fields-source";
import { KeyForm } from "./key-form";
import { SampleFit } from "./sample-fit";

type Change = (next: (before: StreamDraft) => StreamDraft) => void;

/** Where the records came from that were inferred from. */
type SampleOf = Pick<StreamDraft, "cluster" | "topic">;

interface ContractFormProps {
  draft: StreamDraft;
  change: Change;
  /** between format and fields */
  children?: ReactNode;
  /** another source of fields */
  source?: ReactNode;
  /** what was measured of the order of records, below the watermark delay */
  measured?: ReactNode;
}

/** Form of a contract: format, fields (from a sample or a schema, editable), key, event time. */
export function ContractForm({ draft, change, children, source, measured }: ContractFormProps) {
  const [inferred, setInference] = useState<(Inference & SampleOf) | null>(null);
  const isOfTopic = inferred?.cluster === draft.cluster && inferred.topic === draft.topic;
  const inference = isOfTopic ? inferred : null;
  const part = (changed: Part) => {
    change((before) => ({ ...before, ...(typeof changed === "function" ? changed(before) : changed) }));
  };
  return (
    <>
      <Panel title="Format">
        <EncodingForm
          draft={draft.encoding}
          change={(encoding) => {
            setInference(null);
            change((before) => withEncoding(before, encoding));
          }}
        />
      </Panel>
      {children}
      <Panel title="Fields" flush>
        <FieldsSource
          draft={draft}
          change={change}
          onInferred={(found) => {
            setInference({ ...found, cluster: draft.cluster, topic: draft.topic });
            change((before) => withInference(before, found));
          }}
        />
        {source}
        <FieldsForm draft={draft} change={part} inference={inference} />
      </Panel>
      <Panel title="Kind and key">
        <KeyForm draft={draft} change={part} sampled={inference?.key ?? null} />
      </Panel>
      <Panel title="Event time">
        <EventTimeForm
          draft={draft}
          change={part}
          candidates={inference?.event_time_candidates ?? []}
          measured={measured}
        />
      </Panel>
      <Panel title="Sample check" flush>
        <SampleFit draft={draft} />
      </Panel>
    </>
  );
}
