import { Button } from "@mantine/core";
import { useToggleValidation } from "../../../api/dead-letters";
import { ApiError } from "../../../api/client";
import type { Validation, Stream } from "../../../api/types";
import { useHasRole } from "../../../api/workspace-context";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { count, counted, measured, rate } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { RawText } from "../../../ui/placeholders";
import { Badge, StateBadge } from "../../../ui/status";
import { Ago } from "../../../ui/time";
import { ValidationHistory } from "./validation-history";
import classes from "../stream.module.css";

/** Whether every record is judged, since when nothing was heard, and what was counted. */
export function ValidationPanel({ stream, guard }: { stream: Stream; guard: Validation }) {
  const { counts } = guard;
  return (
    <Panel title="Guard" aside={<Switches stream={stream} guard={guard} />}>
      <p className="soft" style={{ marginBottom: 12 }}>
        {guard.on
          ? "Every record is decoded once, exactly as jobs do it. Malformed ones are counted and kept as dead letters."
          : "The guard is off: malformed records are skipped by jobs, but neither counted here nor kept. Switched on, it goes on where it stopped; the first time it begins with the oldest record, or with those that come from now on."}
        {guard.needed_by.length > 0 && ` Needed by ${guard.needed_by.join(", ")}, so it stays on while ${guard.needed_by.length === 1 ? "that job runs" : "these jobs run"}.`}
      </p>
      {guard.trouble && <p role="alert"><Badge tone="warn" plain>Waiting</Badge> {guard.trouble} It is tried again every few seconds.</p>}
      {guard.failure && (
        <div role="alert">
          <Badge tone="bad" plain>{guard.observed === "failed" ? "Failed" : "Last error"}</Badge> {guard.failure.message}
          <RawText text={guard.failure.raw} />
        </div>
      )}
      <DescriptionList>
        <DescriptionItem label="State" note={<>last heard <Ago at={guard.last_heard} /></>}><StateBadge state={guard.observed} /></DescriptionItem>
        <DescriptionItem label="Judged" note="each record once">{counted(counts.records, "record")}</DescriptionItem>
        <DescriptionItem label="Valid" note={counts.skipped > 0 ? `and ${counted(counts.skipped, "heartbeat or deletion", "heartbeats and deletions")}` : "are rows for jobs"}>{count(counts.valid)}</DescriptionItem>
        <DescriptionItem label="Malformed" note={counts.records > 0 ? `${measured((100 * counts.malformed) / counts.records)} % of all` : "nothing judged yet"}>{count(counts.malformed)}</DescriptionItem>
        <DescriptionItem label="Not judged yet" note={guard.on ? `now ${rate(guard.records_per_second, "records")}` : "the guard is off"}>{counted(guard.lag_records, "record")}</DescriptionItem>
      </DescriptionList>
      <ValidationHistory guard={guard} />
    </Panel>
  );
}

function Switches({ stream, guard }: { stream: Stream; guard: Validation }) {
  const turn = useToggleValidation(stream.name);
  const mayEdit = useHasRole("editor");
  if (!mayEdit) return <span className="soft">{guard.on ? "on" : "off"}</span>;
  const isNew = guard.observed === "never_started";
  const stays = guard.needed_by.length > 0;
  return (
    <div className={classes["bar"]}>
      {turn.error ? <span role="alert"><Badge tone="bad" plain>{turn.error instanceof ApiError ? turn.error.message : "Something went wrong. Try again."}</Badge></span> : null}
      {guard.wanted && guard.observed !== "failed" ? (
        <Button variant="default" loading={turn.isPending} leftSection={<Icon name="stop" size={14} />} title={stays ? "It stays on while running jobs need it" : ""} onClick={() => { turn.mutate({ on: false }); }}>Switch off</Button>
      ) : (
        <>
          <Button loading={turn.isPending} leftSection={<Icon name="play" size={14} />} onClick={() => { turn.mutate({ on: true }); }}>{isNew ? "Switch on, from the oldest record" : guard.on ? "Keep on" : "Switch on"}</Button>
          {isNew && <Button variant="default" loading={turn.isPending} onClick={() => { turn.mutate({ on: true, from: "now" }); }}>Only from now on</Button>}
        </>
      )}
    </div>
  );
}
