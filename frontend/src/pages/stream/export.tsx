import { Button, Popover, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { TopicRef, RecordsQuery } from "../../api/query-keys";
import { exportAddress, MAX_EXPORTED } from "../../api/records";
import { useWorkspace } from "../../api/workspace-context";
import { counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { NumberField } from "../../ui/number-field";
import classes from "./stream.module.css";

const FORMATS = [
  { value: "jsonl", label: "JSON lines" },
  { value: "csv", label: "CSV" },
];

interface ExportProps {
  topicRef: TopicRef;
  filter: RecordsQuery;
  /** the filter is incomplete */
  disabled: boolean;
}

/** What the filter finds as a file: as JSON lines, which can be written again, or as CSV. */
export function Export({ topicRef, filter, disabled }: ExportProps) {
  const { slug } = useWorkspace();
  const [format, setFormat] = useState<"jsonl" | "csv">("jsonl");
  const [limit, setLimit] = useState(10_000);
  return (
    <Popover width={300} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" disabled={disabled} leftSection={<Icon name="download" size={14} />}>
          Export
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes["produce"]}>
          <SegmentedControl
            aria-label="File format"
            data={FORMATS}
            value={format}
            onChange={(value) => {
              setFormat(value === "csv" ? "csv" : "jsonl");
            }}
          />
          <NumberField
            label="Max records"
            description={`Up to ${counted(MAX_EXPORTED, "record")} per file`}
            min={1}
            max={MAX_EXPORTED}
            thousandSeparator=","
            value={limit}
            onChange={setLimit}
          />
          <p className="soft">
            {format === "csv"
              ? "The contract's fields as columns. Formulas are escaped."
              : "Complete records with their bytes. Can be re-imported under Produce."}{" "}
            The last line notes if the export was cut off.
          </p>
          <Button component="a" href={exportAddress(slug, topicRef, filter, format, limit)} download>
            Download
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
