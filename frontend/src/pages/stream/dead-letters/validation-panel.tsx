import { Button } from "@mantine/core";
import { useToggleValidation } from "../../../api/dead-letters";
import { ApiError } from "../../../api/client";
import type { Validation, Stream } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { count, counted, rate, share, UNKNOWN } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { RawText } from "../../../ui/placeholders";
import { Badge, StateBadge } from "../../../ui/status";
import { Ago } from "../../../ui/time";
import { ValidationHistory } from "./validation-history";
import classes from "../stream.module.css";

/** State of contract validation, its last heartbeat, and its counts. */
export function ValidationPanel({ stream, validation }: { stream: Stream; validation: Validation }) {
  const { counts, required_by: requiredBy } = validation;
  // 0 malformed of 0 validated records would be a claim.
  const never = counts.records === 0;
  return (
    <Panel title="Contract validation" aside={<Switches stream={stream} validation={validation} />}>
      <p className="soft" style={{ marginBottom: 12 }}>
        {validation.on
          ? "Checks every record once against the contract. " +
            "Malformed records are counted and kept as dead letters."
          : "Off: jobs skip malformed records and count them on their own pages, but none are kept. " +
            "Turn on to keep them as dead letters."}
        {requiredBy.length > 0 &&
          ` Required by ${requiredBy.join(", ")} while ${requiredBy.length === 1 ? "it runs" : "they run"}.`}
      </p>
      {validation.last_error && (
        <p role="alert">
          <Badge tone="warn" plain>
            Waiting
          </Badge>{" "}
          {validation.last_error} Retrying every few seconds.
        </p>
      )}
      {validation.failure && (
        <div role="alert">
          <Badge tone="bad" plain>
            {validation.observed === "failed" ? "Failed" : "Last error"}
          </Badge>{" "}
          {validation.failure.message}
          <RawText text={validation.failure.raw} />
        </div>
      )}
      <DescriptionList>
        <DescriptionItem
          label="State"
          note={
            <>
              last seen <Ago at={validation.last_seen_at} />
            </>
          }
        >
          <StateBadge state={validation.observed} />
        </DescriptionItem>
        <DescriptionItem label="Validated" note="each record once">
          {never ? UNKNOWN : counted(counts.records, "record")}
        </DescriptionItem>
        <DescriptionItem
          label="Valid"
          note={
            counts.skipped > 0
              ? `and ${counted(counts.skipped, "heartbeat or deletion", "heartbeats and deletions")}`
              : "read by jobs"
          }
        >
          {never ? UNKNOWN : count(counts.valid)}
        </DescriptionItem>
        <DescriptionItem
          label="Malformed"
          note={
            counts.records > 0
              ? `${share(counts.malformed / counts.records)} of validated records`
              : never
                ? "nothing was validated yet"
                : "–"
          }
        >
          {never ? UNKNOWN : count(counts.malformed)}
        </DescriptionItem>
        <DescriptionItem
          label="Pending"
          note={validation.on ? `now ${rate(validation.records_per_second, "records")}` : "validation is off"}
        >
          {counted(validation.lag_records, "record")}
        </DescriptionItem>
      </DescriptionList>
      <ValidationHistory validation={validation} />
    </Panel>
  );
}

function Switches({ stream, validation }: { stream: Stream; validation: Validation }) {
  const turn = useToggleValidation(stream.name);
  const mayEdit = useMay("edit");
  if (!mayEdit) return <span className="soft">{validation.on ? "on" : "off"}</span>;
  const isNew = validation.observed === "never_started";
  const stays = validation.required_by.length > 0;
  return (
    <div className={classes["bar"]}>
      {turn.error ? (
        <span role="alert">
          <Badge tone="bad" plain>
            {turn.error instanceof ApiError ? turn.error.message : "Something went wrong. Try again."}
          </Badge>
        </span>
      ) : null}
      {validation.enabled && validation.observed !== "failed" ? (
        <Button
          variant="default"
          loading={turn.isPending}
          leftSection={<Icon name="stop" size={14} />}
          title={stays ? "Stays on while running jobs require it" : ""}
          onClick={() => {
            turn.mutate({ on: false });
          }}
        >
          Turn off
        </Button>
      ) : (
        <>
          <Button
            loading={turn.isPending}
            leftSection={<Icon name="play" size={14} />}
            onClick={() => {
              turn.mutate({ on: true });
            }}
          >
            {isNew ? "Turn on from earliest" : validation.on ? "Keep on after the job stops" : "Turn on"}
          </Button>
          {isNew && (
            <Button
              variant="default"
              loading={turn.isPending}
              onClick={() => {
                turn.mutate({ on: true, from: "now" });
              }}
            >
              Turn on from now
            </Button>
          )}
        </>
      )}
    </div>
  );
}
