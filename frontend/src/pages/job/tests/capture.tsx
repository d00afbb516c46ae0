import { Button, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useNewestRecords } from "../../../api/job-tests";
import { Panel } from "../../../ui/page";
import { Badge } from "../../../ui/status";
import { capturedTest, type LiveRecord } from "./captured-test";
import type { JobFields } from "./job-fields";
import classes from "./tests.module.css";

const MOST = 200;

interface CaptureProps {
  fields: JobFields;
  onText: (text: string) => void;
  onCancel: () => void;
}

/** Chooses live records of the sources: their newest, as they are in Kafka. */
export function Capture({ fields, onText, onCancel }: CaptureProps) {
  const newest = useNewestRecords();
  const sources = Object.entries(fields.sources);
  const [name, setName] = useState("captured records");
  const [counts, setCounts] = useState<Record<string, number>>(
    Object.fromEntries(sources.map(([source]) => [source, 20])),
  );
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const capture = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const found: Record<string, LiveRecord[]> = {};
      for (const [source, { stream }] of sources) {
        const count = counts[source] ?? 0;
        if (count > 0) found[source] = await newest.mutateAsync({ stream, count });
      }
      const test = capturedTest(name, found);
      if (test === null) setFailure("The sources have no complete records that could be captured.");
      else onText(test);
    } catch (error) {
      setFailure(error instanceof ApiError ? error.message : "Couldn't read the records");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="Capture a test from live records">
      <p className="soft">
        The newest records of each source become one batch, ordered by Kafka timestamp. Run the test, check
        its rows, then accept them as expected.
      </p>
      <div className={classes["head"]}>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        {sources.map(([source, { stream }]) => (
          <NumberInput
            key={source}
            label={`Newest records of ${source}`}
            description={stream}
            min={0}
            max={MOST}
            value={counts[source] ?? 0}
            onChange={(value) => {
              setCounts({ ...counts, [source]: Number(value) || 0 });
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
          disabled={!name.trim() || !Object.values(counts).some((count) => count > 0)}
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
