import { Button, Switch } from "@mantine/core";
import { useState } from "react";
import {
  useRemoveLineageReceiver,
  useSwitchLineageReceiver,
  useTestLineageReceiver,
} from "../../../api/openlineage";
import type { LineageReceiver } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { count, counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { RequestError } from "../../../ui/request-error";
import { Badge } from "../../../ui/status";
import { Ago, Time, useNow } from "../../../ui/time";
import { deliveryState, isDue, untilText } from "./delivery-state";
import classes from "./openlineage.module.css";

interface ReceiverPanelProps {
  receiver: LineageReceiver;
  mayManage: boolean;
  onEdit: () => void;
}

/** The receiver's settings, what came of deliveries, and what an owner may do about it. */
export function ReceiverPanel({ receiver, mayManage, onEdit }: ReceiverPanelProps) {
  const test = useTestLineageReceiver();
  const turn = useSwitchLineageReceiver();
  const [removing, setRemoving] = useState(false);
  return (
    <Panel
      title="OpenLineage receiver"
      aside={
        mayManage && (
          <div className={classes["actions"]}>
            <Button
              variant="default"
              loading={test.isPending}
              disabled={!receiver.enabled}
              onClick={() => {
                test.mutate();
              }}
            >
              Send test
            </Button>
            <Button variant="default" onClick={onEdit}>
              Change
            </Button>
            <Button
              variant="subtle"
              color="gray"
              onClick={() => {
                setRemoving(true);
              }}
            >
              Remove
            </Button>
          </div>
        )
      }
    >
      <div className={classes["body"]}>
        <Settings receiver={receiver} />
        <Switch
          label="Send events"
          checked={receiver.enabled}
          disabled={!mayManage || turn.isPending}
          onChange={(event) => {
            test.reset();
            turn.mutate({ receiver, enabled: event.currentTarget.checked });
          }}
        />
        <RequestError what="Couldn't change the receiver" error={turn.error} />
        <RequestError what="Couldn't send a test event" error={test.error} />
        {test.isSuccess && (
          <p role="status">
            A test event for the job <code>weir-connection-test</code> is in the delivery log below.
          </p>
        )}
        <Deliveries receiver={receiver} />
      </div>
      <Removal
        receiver={receiver}
        opened={removing}
        onClose={() => {
          setRemoving(false);
        }}
      />
    </Panel>
  );
}

function Settings({ receiver: { url, namespace, has_key } }: { receiver: LineageReceiver }) {
  return (
    <dl className={classes["settings"]}>
      <dt>URL</dt>
      <dd>
        <code>{url}</code>
      </dd>
      <dt>Job namespace</dt>
      <dd>
        <code>{namespace}</code>
      </dd>
      <dt>API key</dt>
      <dd>{has_key ? "Set; stored encrypted" : <span className="soft">None</span>}</dd>
    </dl>
  );
}

function Deliveries({ receiver }: { receiver: LineageReceiver }) {
  const { waiting, waiting_since, next_try_at, sent, sent_at, failed, failed_at, error } = receiver;
  const { word, tone, means } = deliveryState(receiver);
  const now = useNow();
  return (
    <>
      <DescriptionList>
        <DescriptionItem label="State" note={means}>
          <Badge tone={tone} plain>
            {word}
          </Badge>
        </DescriptionItem>
        <DescriptionItem label="Last sent" note={`${counted(sent, "event")} in the last 7 days`}>
          <Ago at={sent_at} never="Never" />
        </DescriptionItem>
        <DescriptionItem
          label="Waiting"
          note={
            waiting_since && (
              <>
                Oldest written <Ago at={waiting_since} />
              </>
            )
          }
        >
          {counted(waiting, "event")}
        </DescriptionItem>
        <DescriptionItem label="Next attempt" note={untilText(receiver, now)}>
          {isDue(receiver, now) ? "Now" : <Time at={next_try_at} />}
        </DescriptionItem>
        <DescriptionItem label="Given up" note="In the last 7 days">
          {count(failed)}
        </DescriptionItem>
      </DescriptionList>
      {error && (
        <p className={classes["failure"]}>
          <strong>Last failure</strong> (<Ago at={failed_at} />
          ): {error}
        </p>
      )}
    </>
  );
}

function Removal({
  receiver: { url, waiting },
  opened,
  onClose,
}: {
  receiver: LineageReceiver;
  opened: boolean;
  onClose: () => void;
}) {
  const remove = useRemoveLineageReceiver();
  return (
    <Confirm
      opened={opened}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title="Remove the OpenLineage receiver?"
      verb="Remove receiver"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        remove.mutate(undefined, { onSuccess: onClose });
      }}
    >
      <p>
        Nothing is sent to {url} any more. Its key and delivery log are deleted
        {waiting > 0 && `, and ${counted(waiting, "waiting event")} with them`}.
      </p>
      <p>Jobs aren't affected, nor is what the catalog already has. This can't be undone.</p>
    </Confirm>
  );
}
