import { Button, Switch } from "@mantine/core";
import { useState } from "react";
import { useAlertChannels, useChangeChannel, useDeleteChannel, useTestChannel } from "../../../api/alerts";
import type { AlertChannel } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Confirm } from "../../../ui/confirm";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { RequestError } from "../../../ui/request-error";
import { Table, type Column } from "../../../ui/table";
import { SeverityBadge } from "../alert-state";
import { ChannelForm } from "./channel-form";
import { KIND_NAMES } from "./kinds";
import { DeliveryLog } from "./delivery-log";
import classes from "../alerts.module.css";

export function ChannelsTab() {
  const query = useAlertChannels();
  const mayManage = useMay("manage_channels");
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<AlertChannel | null>(null);
  const change = useChangeChannel();
  const test = useTestChannel();
  // On its old revision it can't be switched again.
  const saving = change.isPending ? change.variables.id : null;
  const create = mayManage && (
    <Button
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => {
        setCreating(true);
      }}
    >
      New channel
    </Button>
  );
  const actions: Column<AlertChannel> = {
    name: "Actions",
    unnamed: true,
    numeric: true,
    cell: (channel) => (
      <div className={classes["rowActions"]}>
        <Button
          variant="default"
          loading={test.isPending && test.variables === channel.id}
          onClick={() => {
            test.mutate(channel.id);
          }}
        >
          Send test
        </Button>
        <Button
          data-removes
          variant="subtle"
          color="gray"
          onClick={() => {
            setDeleting(channel);
          }}
        >
          Delete
        </Button>
      </div>
    ),
  };
  const columns: Column<AlertChannel>[] = [
    {
      name: "On",
      cell: (channel) => (
        <Switch
          aria-label={`Send to ${channel.name}`}
          checked={channel.enabled}
          disabled={!mayManage || saving === channel.id}
          onChange={(event) => {
            const { id, name, least_severity, revision } = channel;
            change.mutate({ id, name, least_severity, revision, enabled: event.currentTarget.checked });
          }}
        />
      ),
    },
    {
      name: "Channel",
      cell: ({ name, kind, target }) => (
        <div className={classes["alert"]}>
          <strong>{name}</strong>
          <span className="soft">
            {KIND_NAMES[kind]} · {target}
          </span>
        </div>
      ),
    },
    { name: "From severity", cell: ({ least_severity }) => <SeverityBadge severity={least_severity} /> },
    ...(mayManage ? [actions] : []),
  ];
  return (
    <>
      <RequestError what="Couldn't change the channel" error={change.error} />
      <RequestError what="Couldn't send a test message" error={test.error} />
      <Panel title="Channels" aside={create} flush>
        <QueryResult query={query} what="channels">
          {({ results }) =>
            results.length ? (
              <Table label="Channels" rows={results} rowKey={({ id }) => id} columns={columns} />
            ) : (
              <Empty title="No channels yet" action={create}>
                Without a channel alerts are shown here, and nobody is told.
                {!mayManage && " Ask an owner to add one."}
              </Empty>
            )
          }
        </QueryResult>
      </Panel>
      <DeliveryLog />
      {creating && (
        <ChannelForm
          emailConfigured={query.data?.email_configured ?? false}
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
      <Deletion
        channel={deleting}
        onClose={() => {
          setDeleting(null);
        }}
      />
    </>
  );
}

function Deletion({ channel, onClose }: { channel: AlertChannel | null; onClose: () => void }) {
  const remove = useDeleteChannel();
  return (
    <Confirm
      opened={channel !== null}
      onClose={onClose}
      title={`Delete channel ${channel?.name ?? ""}?`}
      verb="Delete channel"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (channel) remove.mutate(channel.id, { onSuccess: onClose });
      }}
    >
      <p>Nothing is sent to it any more, and its delivery log is deleted. This can't be undone.</p>
    </Confirm>
  );
}
