import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { useClusters, useDeleteCluster } from "../../../api/clusters";
import type { Cluster } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { useUrlState } from "../../../ui/url-state";
import { share } from "../../../ui/format/numbers";
import { Confirm } from "../../../ui/confirm";
import { Icon } from "../../../ui/icons";
import { QueryResult } from "../../../ui/query-result";
import { Panel } from "../../../ui/page";
import { RawText } from "../../../ui/placeholders";
import { Badge } from "../../../ui/status";
import { Table } from "../../../ui/table";
import { Ago, Time, useNow } from "../../../ui/time";
import { ClusterForm } from "./cluster-form";
import { securityText } from "./connection-draft";
import classes from "./clusters.module.css";

const NEW = "new";
const FULL_DISK = 0.9; // as the alert rule of every new workspace

/** The Kafka clusters of the workspace: state and connection. */
export function ClustersTab() {
  const clusters = useClusters();
  const owner = useMay("manage_clusters");
  const [edited, setEdited] = useUrlState("cluster", "");
  const [leaving, setLeaving] = useState<Cluster | null>(null);
  return (
    <QueryResult query={clusters} what="clusters">
      {({ results }) => {
        const known = results.find(({ id, home }) => id === edited && !home) ?? null;
        const isOpen = owner && (known !== null || edited === NEW);
        // One form at a time: another would take the place of what is typed in this one.
        const mayOpen = owner && !isOpen;
        return (
          <>
            {isOpen && (
              <ClusterForm
                key={edited}
                known={known}
                onClose={() => {
                  setEdited(null);
                }}
              />
            )}
            <Panel
              flush
              title="Clusters"
              aside={
                mayOpen && (
                  <Button
                    variant="default"
                    leftSection={<Icon name="plus" size={14} />}
                    onClick={() => {
                      setEdited(NEW);
                    }}
                  >
                    Add cluster
                  </Button>
                )
              }
            >
              <Table
                label="Kafka clusters"
                rows={results}
                rowKey={({ id }) => id}
                columns={[
                  {
                    name: "Cluster",
                    term: "Kafka clusters",
                    cell: ({ id, name, home, bootstrap }) => (
                      <>
                        <Link href={`/topics/${id}`}>
                          <strong>{name}</strong>
                        </Link>{" "}
                        {home && <span className="soft">Weir system topics</span>}
                        <div className={classes["address"]}>
                          <code>{bootstrap}</code>
                        </div>
                      </>
                    ),
                  },
                  { name: "Security", wideOnly: true, cell: (cluster) => securityText(cluster) },
                  { name: "State", cell: (cluster) => <Reachability cluster={cluster} /> },
                  { name: "Upkeep", wideOnly: true, cell: (cluster) => <Upkeep cluster={cluster} /> },
                  {
                    name: "Password set",
                    wideOnly: true,
                    cell: ({ password_set_at }) =>
                      password_set_at ? <Ago at={password_set_at} /> : <span className="soft">none</span>,
                  },
                  {
                    name: "Actions",
                    unnamed: true,
                    numeric: true,
                    cell: (cluster) =>
                      owner &&
                      !cluster.home && (
                        <span className={classes["actions"]}>
                          {mayOpen && (
                            <Button
                              variant="subtle"
                              onClick={() => {
                                setEdited(cluster.id);
                              }}
                            >
                              Edit
                            </Button>
                          )}
                          <Button
                            data-removes
                            variant="subtle"
                            color="gray"
                            onClick={() => {
                              setLeaving(cluster);
                            }}
                          >
                            Remove
                          </Button>
                        </span>
                      ),
                  },
                ]}
              />
            </Panel>
            <Removal
              cluster={leaving}
              onClose={() => {
                setLeaving(null);
              }}
            />
          </>
        );
      }}
    </QueryResult>
  );
}

function Reachability({ cluster: { reachable, error, checked_at } }: { cluster: Cluster }) {
  return (
    <>
      {reachable === null ? (
        <Badge tone="warn" plain>
          Not checked yet
        </Badge>
      ) : (
        <Badge tone={reachable ? "good" : "bad"} plain>
          {reachable ? "Reachable" : "Unreachable"}
        </Badge>
      )}
      <div className={classes["address"]}>
        checked <Ago at={checked_at} />
      </div>
      {error && <RawText text={error} label="Error details" />}
    </>
  );
}

/** What ends one day if nobody looks. Alerts tell it too, before it is too late. */
function Upkeep({ cluster: { disk_used_share: used, certificate_expires_at: ends } }: { cluster: Cluster }) {
  const now = useNow();
  return (
    <>
      {used === null ? (
        <span className="soft">Disk use unknown</span>
      ) : (
        <Badge tone={used > FULL_DISK ? "bad" : "good"} plain>
          Disk {share(used)} used
        </Badge>
      )}
      {ends && (
        <div className={classes["address"]}>
          {Date.parse(ends) < now ? "certificate expired" : "certificate valid until"} <Time at={ends} long />
        </div>
      )}
    </>
  );
}

function Removal({ cluster, onClose }: { cluster: Cluster | null; onClose: () => void }) {
  const remove = useDeleteCluster();
  return (
    <Confirm
      opened={cluster !== null}
      onClose={onClose}
      title={`Remove ${cluster?.name ?? ""}?`}
      verb="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (cluster) remove.mutate(cluster.id, { onSuccess: onClose });
      }}
    >
      <p>Removes connection and password. The cluster and its topics aren't affected.</p>
    </Confirm>
  );
}
