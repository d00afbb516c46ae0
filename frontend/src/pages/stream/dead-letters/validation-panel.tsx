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

/** State of contract validation, its last heartbeat, and its counts. */
export function ValidationPanel({ stream, guard }: { stream: Stream; guard: Validation }) {
  const { counts } = guard;
  return (
    <Panel title="Contract validation" aside={<Switches stream={stream} guard={guard} />}>
      <p className="soft" style={{ marginBottom: 12 }}>
        {guard.on
          ? "Checks every record once against the contract. Malformed records are counted and kept as dead letters."
          : "Off: jobs skip malformed records, but they aren't counted or kept. Turn on to keep them as dead letters."}
        {guard.needed_by.length > 0 && ` Required by ${guard.needed_by.join(", ")} while ${guard.needed_by.length === 1 ? "it runs" : "they run"}.`}
      </p>
      {guard.trouble && <p role="alert"><Badge tone="warn" plain>Waiting</Badge> {guard.trouble} Retrying every few seconds.</p>}
      {guard.failure && (
        <div role="alert">
          <Badge tone="bad" plain>{guard.observed === "failed" ? "Failed" : "Last error"}</Badge> {guard.failure.message}
          <RawText text={guard.failure.raw} />
        </div>
      )}
      <DescriptionList>
        <DescriptionItem label="State" note={<>last heard <Ago at={guard.last_seen_at} /></>}><StateBadge state={guard.observed} /></DescriptionItem>
        <DescriptionItem label="Validated" note="each record once">{counted(counts.records, "record")}</DescriptionItem>
        <DescriptionItem label="Valid" note={counts.skipped > 0 ? `and ${counted(counts.skipped, "heartbeat or deletion", "heartbeats and deletions")}` : "read by jobs"}>{count(counts.valid)}</DescriptionItem>
        <DescriptionItem label="Malformed" note={counts.records > 0 ? `${measured((100 * counts.malformed) / counts.records)}% of validated records` : "–"}>{count(counts.malformed)}</DescriptionItem>
        <DescriptionItem label="Pending" note={guard.on ? `now ${rate(guard.records_per_second, "records")}` : "validation is off"}>{counted(guard.lag_records, "record")}</DescriptionItem>
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
        <Button variant="default" loading={turn.isPending} leftSection={<Icon name="stop" size={14} />} title={stays ? "Stays on while running jobs require it" : ""} onClick={() => { turn.mutate({ on: false }); }}>Turn off</Button>
      ) : (
        <>
          <Button loading={turn.isPending} leftSection={<Icon name="play" size={14} />} onClick={() => { turn.mutate({ on: true }); }}>{isNew ? "Turn on from earliest" : guard.on ? "Keep on after the job stops" : "Turn on"}</Button>
          {isNew && <Button variant="default" loading={turn.isPending} onClick={() => { turn.mutate({ on: true, from: "now" }); }}>Turn on from now</Button>}
        </>
      )}
    </div>
  );
}
