import { Button, Menu } from "@mantine/core";
import { useEffect } from "react";
import {
  useAcknowledge,
  useAlerts,
  useAlertsSeen,
  useCreateSilence,
  useMarkAlertsSeen,
} from "../../api/alerts";
import type { Alert } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { Icon } from "../../ui/icons";
import { LoadMore } from "../../ui/load-more";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { QueryResult } from "../../ui/query-result";
import { RequestError } from "../../ui/request-error";
import { AlertTable } from "./alert-table";
import { SILENCE_SPANS } from "./silences/spans";
import classes from "./alerts.module.css";

/** What fires or is about to. Looking at it makes it read. */
export function FiringTab() {
  const query = useAlerts({ state: "open" });
  const mayEdit = useMay("edit");
  const acknowledge = useAcknowledge();
  const silence = useCreateSilence();
  useRead(query.data?.results);
  const actions = {
    name: "Actions",
    unnamed: true,
    numeric: true,
    cell: (alert: Alert) => (
      <div className={classes["rowActions"]}>
        {alert.state === "firing" && !alert.acknowledged_at && (
          <Button
            variant="default"
            loading={acknowledge.isPending && acknowledge.variables === alert.id}
            onClick={() => {
              acknowledge.mutate(alert.id);
            }}
          >
            Acknowledge
          </Button>
        )}
        {!alert.silenced && (
          <SilenceMenu
            pending={silence.isPending && silence.variables.alert_id === alert.id}
            onChoose={(ms) => {
              silence.mutate({
                alert_id: alert.id,
                ends_at: new Date(Date.now() + ms).toISOString(),
                note: "",
              });
            }}
          />
        )}
      </div>
    ),
  };
  return (
    <>
      <RequestError what="Couldn't acknowledge the alert" error={acknowledge.error} />
      <RequestError what="Couldn't silence the alert" error={silence.error} />
      <Panel flush>
        <QueryResult query={query} what="alerts">
          {({ results }) =>
            results.length ? (
              <AlertTable label="Open alerts" alerts={results} {...(mayEdit && { actions })} />
            ) : (
              <Empty title="Nothing fires">
                Rules are evaluated all the time. What fires appears here by itself and is sent to the
                channels.
              </Empty>
            )
          }
        </QueryResult>
        <LoadMore query={query} />
      </Panel>
    </>
  );
}

function SilenceMenu({ pending, onChoose }: { pending: boolean; onChoose: (ms: number) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" color="gray" loading={pending} rightSection={<Icon name="down" size={12} />}>
          Silence
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {SILENCE_SPANS.map(({ label, ms }) => (
          <Menu.Item
            key={ms}
            onClick={() => {
              onChoose(ms);
            }}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Marks what is listed as read, once for each newest alert. */
function useRead(listed: readonly Alert[] | undefined) {
  const { data: seen } = useAlertsSeen();
  const { mutate } = useMarkAlertsSeen();
  const newest = listed
    ?.map(({ fired_at }) => fired_at)
    .filter((at) => at !== null)
    .sort()
    .at(-1);
  const isUnread =
    seen !== undefined &&
    newest !== undefined &&
    (seen.seen_at === null || Date.parse(newest) > Date.parse(seen.seen_at));
  useEffect(() => {
    if (!isUnread) return undefined;
    const read = () => {
      if (!document.hidden) mutate(newest);
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => {
      document.removeEventListener("visibilitychange", read);
    };
  }, [isUnread, newest, mutate]);
}
