import { Button } from "@mantine/core";
import { useState } from "react";
import { useLateness } from "../../api/samples";
import { useStreams } from "../../api/streams";
import { basisText, refusalText, stopOf } from "../../lateness/delay-text";
import {
  graceText,
  NOT_OF_ONE_STREAM,
  proposalText,
  proposedGrace,
  secondsOf,
  streamsBefore,
} from "../../lateness/grace-text";
import { LateCurve } from "../../lateness/late-curve";
import { duration } from "../../ui/format/durations";
import { QueryResult } from "../../ui/query-result";
import { useCarriedStreams } from "../carried-streams";
import type { Outline, SourceRow } from "../outline";
import { asText } from "./values";
import dataClasses from "../data/data.module.css";
import classes from "../composer.module.css";

/** As the form that proposes a stream's delay reads. */
const RECORDS = 5_000;
const DEFAULT_DELAY = "10s";

interface GraceLatenessProps {
  outline: Outline;
  /** name of the step */
  step: string;
  /** as the document writes it; empty: none */
  grace: string;
  onUse: (grace: string) => void;
}

/** What a grace period saves, measured on the streams that reach the step. Read when it is opened. */
export function GraceLateness({ outline, step, grace, onUse }: GraceLatenessProps) {
  const [isOpen, setOpen] = useState(false);
  const isCarried = useCarriedStreams() !== null;
  const sources = streamsBefore(outline, step).filter(({ of }) => of !== "");
  if (isCarried || !sources.length) return null;
  return (
    <details
      className={`${dataClasses["data"] ?? ""} ${classes["fullWidth"] ?? ""}`}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>How many rows would be late</summary>
      {isOpen &&
        (outline.settings["watermark"] === "max" && sources.length > 1 ? (
          <p className="soft">{NOT_OF_ONE_STREAM}</p>
        ) : (
          sources.map((source) => <OfSource key={source.name} source={source} grace={grace} onUse={onUse} />)
        ))}
    </details>
  );
}

function OfSource({
  source,
  grace,
  onUse,
}: Pick<GraceLatenessProps, "grace" | "onUse"> & { source: SourceRow }) {
  const query = useLateness(source.of, RECORDS);
  const contract = useStreams().data?.results.find(({ name }) => name === source.of)?.contract;
  const delay = secondsOf(source.delay || asText(contract?.["delay"]) || DEFAULT_DELAY);
  return (
    <QueryResult query={query} what="late rows">
      {(lateness) => {
        if (!lateness.records)
          return (
            <p className="soft">
              <strong>{source.of}</strong>: there are no records to measure.
            </p>
          );
        const proposed = proposedGrace(lateness, delay);
        const graceS = secondsOf(grace);
        return (
          <div className={dataClasses["source"]}>
            <p>
              <strong>{source.of}</strong>: {graceText(lateness, delay, graceS)}
            </p>
            <p className="soft">
              {basisText(lateness)} {refusalText(lateness, "grace period")} {proposalText(proposed, delay)}{" "}
              {proposed !== null && proposed > 0 && proposed !== graceS && (
                <Button
                  variant="default"
                  size="compact-xs"
                  onClick={() => {
                    onUse(duration(proposed * 1_000));
                  }}
                >
                  Use {duration(proposed * 1_000)}
                </Button>
              )}
            </p>
            <LateCurve late={lateness.late} at={stopOf(lateness, delay + graceS)} what="Delay and grace" />
          </div>
        );
      }}
    </QueryResult>
  );
}
