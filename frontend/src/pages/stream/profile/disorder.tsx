import { Slider } from "@mantine/core";
import { useState } from "react";
import type { Lateness } from "../../../api/types";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { seconds } from "../../../ui/format/durations";
import { count, share } from "../../../ui/format/numbers";
import { Table } from "../../../ui/table";
import { basisText, delayText, refusalText, stopOf } from "../../../lateness/delay-text";
import { LateCurve } from "../../../lateness/late-curve";
import classes from "./profile.module.css";

/** How far out of order records came in the last hours, and what any delay would cost and save. */
export function Disorder({ lateness }: { lateness: Lateness }) {
  return (
    <div className={classes["disorder"]}>
      <p className="soft">
        {basisText(lateness)} {refusalText(lateness)}
      </p>
      <DescriptionList>
        {lateness.behind.map(({ quantile, seconds: behind }) => (
          <DescriptionItem key={quantile} label={quantileText(quantile)}>
            {seconds(behind)}
          </DescriptionItem>
        ))}
      </DescriptionList>
      <DelaySlider lateness={lateness} />
      {lateness.partitions.length > 1 && (
        <Table
          label="Disorder by partition"
          columns={[
            { name: "Partition", numeric: true, cell: ({ partition }) => partition },
            { name: "Records", numeric: true, cell: ({ records }) => count(records) },
            { name: "99% within", numeric: true, cell: ({ p99_seconds: p99 }) => seconds(p99) },
            { name: "Furthest behind", numeric: true, cell: ({ max_seconds: most }) => seconds(most) },
            {
              name: "Later than the quickest",
              numeric: true,
              cell: ({ later_seconds: later }) => seconds(later),
            },
          ]}
          rows={lateness.partitions}
          rowKey={({ partition }) => partition}
        />
      )}
      {lateness.keys.length > 1 && (
        <Table
          label="Keys that are furthest behind"
          columns={[
            { name: "Key", cell: ({ key }) => <code>{key}</code> },
            { name: "Records", numeric: true, cell: ({ records }) => count(records) },
            { name: "Furthest behind", numeric: true, cell: ({ max_seconds: most }) => seconds(most) },
          ]}
          rows={lateness.keys}
          rowKey={({ key }) => key}
        />
      )}
    </div>
  );
}

function quantileText(quantile: number): string {
  return quantile === 1 ? "Furthest behind" : `${share(quantile)} of records are behind by at most`;
}

function DelaySlider({ lateness }: { lateness: Lateness }) {
  const { late, delay_seconds: delay, proposed_seconds: proposed } = lateness;
  const [at, setAt] = useState(() => stopOf(lateness, delay));
  return (
    <div className={classes["slider"]}>
      <div>
        <strong>Watermark delay</strong>{" "}
        <span className="soft">
          {delay !== null && `${seconds(delay)} now`}
          {delay !== null && proposed !== null && "; "}
          {proposed !== null && `${seconds(proposed)} would make at most 0.1% late`}
        </span>
      </div>
      <Slider
        thumbLabel="Watermark delay"
        min={0}
        max={late.length - 1}
        value={at}
        onChange={setAt}
        label={(stop) => seconds(late[stop]?.delay_seconds)}
        thumbProps={{ "aria-valuetext": seconds(late[at]?.delay_seconds) }}
      />
      <p role="status">{delayText(lateness, at)}</p>
      <LateCurve late={late} at={at} />
    </div>
  );
}
