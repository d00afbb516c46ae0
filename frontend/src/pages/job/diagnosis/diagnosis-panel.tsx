import { Button, Select, TextInput } from "@mantine/core";
import { useDiagnosis } from "../../../api/jobs";
import type { Diagnosis } from "../../../api/types";
import { useFollowed } from "../../../ui/followed-text";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { useUrlState } from "../../../ui/url-state";
import { DiagnosisView } from "./diagnosis-view";
import type { PageFinding } from "./page-findings";
import classes from "./diagnosis.module.css";

interface DiagnosisPanelProps {
  jobId: string;
  /** what the page itself does to rows */
  page: readonly PageFinding[];
}

/** Why there is no output, or no row of a key: from source to output, up to the first cause. */
export function DiagnosisPanel({ jobId, page }: DiagnosisPanelProps) {
  const [key, setKey] = useUrlState("why_key", "");
  const [output, setOutput] = useUrlState("why_output", "");
  const query = useDiagnosis(jobId, { key, output });
  return (
    <Panel
      title="Why is there no output?"
      flush
      aside={
        <Button
          variant="default"
          size="compact-sm"
          loading={query.isFetching}
          leftSection={<Icon name="refresh" size={14} />}
          onClick={() => void query.refetch()}
        >
          Check again
        </Button>
      }
    >
      <div className={classes["asked"]}>
        <OutputChoice outputs={query.data?.outputs ?? []} output={output} onChoose={setOutput} />
        <KeyField asked={key} onAsk={setKey} />
      </div>
      <QueryResult query={query} what="diagnosis">
        {(diagnosis) => <DiagnosisView diagnosis={diagnosis} page={page} />}
      </QueryResult>
    </Panel>
  );
}

interface OutputChoiceProps {
  outputs: Diagnosis["outputs"];
  output: string;
  onChoose: (output: string | null) => void;
}

/** Only of a job with several outputs, or where the address names one. */
function OutputChoice({ outputs, output, onChoose }: OutputChoiceProps) {
  if (outputs.length < 2 && !output) return null;
  const names = outputs.map(({ name, topic }) => ({
    value: name,
    label: topic === null ? `${name} (live result)` : `${name} (topic ${topic})`,
  }));
  return (
    <Select
      size="xs"
      label="Output"
      data={names.length ? names : [output]}
      value={output || (outputs[0]?.name ?? null)}
      onChange={(name) => {
        onChoose(name === outputs[0]?.name ? null : name);
      }}
      allowDeselect={false}
    />
  );
}

/** Asks about one key; empty for all rows. */
function KeyField({ asked, onAsk }: { asked: string; onAsk: (key: string | null) => void }) {
  const [text, setText] = useFollowed(asked);
  return (
    <form
      className={classes["key"]}
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(text.trim() || null);
      }}
    >
      <TextInput
        size="xs"
        label="Only rows of this key"
        placeholder="Any key"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <Button type="submit" size="xs" variant="default" disabled={text.trim() === asked}>
        Look for it
      </Button>
    </form>
  );
}
