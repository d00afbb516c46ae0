import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useLiveRecords, type CaptureChoice } from "../../../api/job-tests";
import { durationProblem } from "../../../composer/duration-problem";
import { parseDuration } from "../../../ui/format/durations";
import { Panel } from "../../../ui/page";
import { Badge } from "../../../ui/status";
import { NumberField } from "../../../ui/number-field";
import { capturedTest, MOST_BATCHES, untilFirstEnd, type LiveRecord } from "./captured-test";
import type { JobFields } from "./job-fields";
import classes from "./tests.module.css";

const MOST = 200;

const CAPTURE_KINDS: readonly { value: CaptureChoice["kind"]; label: string }[] = [
  { value: "newest", label: "Newest" },
  { value: "time", label: "From a time" },
  { value: "key", label: "Newest with a key" },
];

function isChosen({ kind, time, key }: CaptureChoice): boolean {
  if (kind === "time") return !Number.isNaN(Date.parse(time));
  return kind !== "key" || key !== "";
}

interface CaptureProps {
  fields: JobFields;
  onText: (text: string) => void;
  onCancel: () => void;
}

/** Chooses live records of the sources, as they are in Kafka. */
export function Capture({ fields, onText, onCancel }: CaptureProps) {
  const live = useLiveRecords();
  const sources = Object.entries(fields.sources);
  const [name, setName] = useState("captured records");
  const [counts, setCounts] = useState<Record<string, number>>(
    Object.fromEntries(sources.map(([source]) => [source, 20])),
  );
  const [choice, setChoice] = useState<CaptureChoice>({ kind: "newest", time: "", key: "" });
  const [every, setEvery] = useState(fields.trigger);
  const everyMs = parseDuration(every);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const capture = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const found: Record<string, LiveRecord[]> = {};
      const more: Record<string, boolean> = {};
      for (const [source, { stream }] of sources) {
        const count = counts[source] ?? 0;
        if (count === 0) continue;
        const read = await live.mutateAsync({ stream, count, choice });
        found[source] = read.records;
        more[source] = read.more;
        if (read.more && read.records.length === 0) {
          setFailure(
            `No records of ${source} in the part of its topic that was searched. ` +
              "Choose a later time or another key.",
          );
          return;
        }
      }
      const read = choice.kind === "time" ? untilFirstEnd(found, more) : found;
      const test = capturedTest(name, read, everyMs ?? 1_000);
      if (test === null) setFailure("The sources have no complete records that could be captured.");
      else onText(test.text);
    } catch (error) {
      setFailure(error instanceof ApiError ? error.message : "Couldn't read the records");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="Capture a test from live records">
      <p className="soft">
        Records become batches by when they arrived (Kafka timestamp), as the job would have read them, so
        that late rows are late. Run the test, check its rows, then accept them as expected.
      </p>
      <div className={classes["head"]}>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <Select
          label="Records"
          data={CAPTURE_KINDS}
          value={choice.kind}
          allowDeselect={false}
          onChange={(kind) => {
            setChoice({
              ...choice,
              kind: CAPTURE_KINDS.find(({ value }) => value === kind)?.value ?? "newest",
            });
          }}
        />
        {choice.kind === "time" && (
          <TextInput
            type="datetime-local"
            step={1}
            label="From (Kafka timestamp, local time)"
            value={choice.time}
            onChange={(event) => {
              setChoice({ ...choice, time: event.currentTarget.value });
            }}
          />
        )}
        {choice.kind === "key" && (
          <TextInput
            label="Key"
            description="Its fields' values as JSON, or text"
            value={choice.key}
            onChange={(event) => {
              setChoice({ ...choice, key: event.currentTarget.value });
            }}
          />
        )}
        <TextInput
          label="One batch per"
          description={`Of arrival; at most ${String(MOST_BATCHES)} batches`}
          value={every}
          error={durationProblem(every)}
          onChange={(event) => {
            setEvery(event.currentTarget.value);
          }}
        />
        {sources.map(([source, { stream }]) => (
          <NumberField
            key={source}
            label={`Records of ${source}`}
            description={stream}
            min={0}
            max={MOST}
            value={counts[source] ?? 0}
            onChange={(value) => {
              setCounts({ ...counts, [source]: value });
            }}
          />
        ))}
      </div>
      {failure && (
        <p role="alert">
          <Badge tone="bad" plain>
            {failure}
          </Badge>
        </p>
      )}
      <div className={classes["group"]}>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          loading={busy}
          disabled={
            !name.trim() || !everyMs || !isChosen(choice) || !Object.values(counts).some((count) => count > 0)
          }
          onClick={() => {
            void capture();
          }}
        >
          Read records
        </Button>
      </div>
    </Panel>
  );
}
