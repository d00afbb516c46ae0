import { Button } from "@mantine/core";
import { useCancelRedrive, useRedrives } from "../../../api/dead-letters";
import type { Redrive, Stream } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { count, counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { RequestError } from "../../../ui/request-error";
import { Badge } from "../../../ui/status";
import { Ago } from "../../../ui/time";
import classes from "../stream.module.css";

const SHOWN = 5;

/** Running and recent redrives; nothing is shown when there were none. */
export function Redrives({ stream }: { stream: Stream }) {
  const { data } = useRedrives(stream.name);
  const shown = data?.results.slice(0, SHOWN) ?? [];
  if (!shown.length) return null;
  return (
    <Panel title="Redrives" flush>
      {shown.map((redrive) => (
        <OneRedrive key={redrive.id} stream={stream} redrive={redrive} />
      ))}
    </Panel>
  );
}

function OneRedrive({ stream, redrive }: { stream: Stream; redrive: Redrive }) {
  const cancel = useCancelRedrive(stream.name);
  const mayEdit = useMay("edit");
  const done = redrive.sent + redrive.failed;
  return (
    <div className={classes["progress"]}>
      <span role="status">
        <State redrive={redrive} />
      </span>
      <progress
        max={Math.max(1, redrive.total)}
        value={done}
        aria-label={`${String(done)} of ${String(redrive.total)} records`}
      />
      <span>
        {count(redrive.sent)} of {counted(redrive.total, "record")} to {redrive.to ?? "deleted stream"}
        {redrive.edited && (redrive.edit.length ? `, each with ${redrive.edit.join("; ")}` : ", edited")}
        {`, max ${count(redrive.rate)} records/s`}
      </span>
      {redrive.failed > 0 && (
        <span>
          <Badge tone="warn" plain>
            {count(redrive.failed)} not sent
          </Badge>
          ; see their status
        </span>
      )}
      <span className="soft">
        {redrive.created_by}, <Ago at={redrive.ended_at ?? redrive.created_at} />
      </span>
      {redrive.last_error && (
        <span role="status">
          <Badge tone="warn" plain>
            Waiting
          </Badge>{" "}
          {redrive.last_error}
        </span>
      )}
      {redrive.state === "running" && mayEdit && (
        <Button
          variant="default"
          loading={cancel.isPending}
          onClick={() => {
            cancel.mutate(redrive.id);
          }}
        >
          Cancel
        </Button>
      )}
      <RequestError what="Couldn't cancel the redrive" error={cancel.error} />
    </div>
  );
}

function State({ redrive }: { redrive: Redrive }) {
  if (redrive.state === "running")
    return (
      <Badge tone="warn" plain>
        Sending
      </Badge>
    );
  return redrive.state === "done" ? (
    <Badge tone="good" plain>
      Done
    </Badge>
  ) : (
    <Badge tone="idle" plain>
      Canceled
    </Badge>
  );
}
