import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { Link } from "wouter";
import { useGroups, useLiveGroups } from "../../api/consumer-groups";
import type { GroupWatch, ListedGroup } from "../../api/types";
import { counted } from "../../ui/format/numbers";
import { LoadMore } from "../../ui/load-more";
import { Page, Panel } from "../../ui/page";
import { Empty, Loading } from "../../ui/placeholders";
import { QueryResult } from "../../ui/query-result";
import { Badge } from "../../ui/status";
import { Ago } from "../../ui/time";
import { useUrlState } from "../../ui/url-state";
import filters from "../jobs/jobs.module.css";
import { filterGroups, ORDERS, sortGroups, type Order } from "./group-list";
import { GroupsTable } from "./groups-table";
import { BY_SEVERITY, HEALTH } from "../../lag-health/health";
import classes from "./consumers.module.css";

const SHOWN = 200;

/** Every consumer group of every cluster, and which need a look. */
export function ConsumersPage() {
  const query = useGroups();
  const { groups, watches } = useLiveGroups(query);
  return (
    <Page title="Consumers">
      <QueryResult query={query} what="consumer groups">
        {() => (
          <>
            {watches.map((watch) => (
              <WatchNotice key={watch.cluster} watch={watch} />
            ))}
            {groups.length ? (
              <FilteredGroups groups={groups} watches={watches} />
            ) : (
              <Panel>
                <NoGroups watches={watches} />
              </Panel>
            )}
          </>
        )}
      </QueryResult>
    </Page>
  );
}

/** Says where the list is not current, or not complete. */
function WatchNotice({ watch: { cluster_name, error, passed_at, groups, left_out } }: { watch: GroupWatch }) {
  return (
    <>
      {error && (
        <p className={classes["notice"]}>
          <span role="alert">
            <Badge tone="bad" plain>
              {cluster_name} can't be read
            </Badge>{" "}
            {error}
          </span>{" "}
          {passed_at ? (
            <>
              Its groups are shown as of <Ago at={passed_at} />.
            </>
          ) : null}
        </p>
      )}
      {left_out > 0 && (
        <p className={classes["notice"]}>
          <Badge tone="warn" plain>
            Incomplete
          </Badge>{" "}
          {cluster_name} has {counted(groups, "group")}; {counted(left_out, "group")} beyond the limit{" "}
          {left_out === 1 ? "isn't" : "aren't"} watched.
        </p>
      )}
    </>
  );
}

function NoGroups({ watches }: { watches: readonly GroupWatch[] }) {
  const waiting = watches.some(({ passed_at, error }) => !passed_at && !error);
  if (waiting) return <Loading title="Reading consumer groups…">The first look takes a few seconds.</Loading>;
  return (
    <Empty title="No consumer groups yet">
      A group appears within seconds of its first commit. On the home cluster, only groups that read topics of
      this workspace are shown.
    </Empty>
  );
}

function FilteredGroups({
  groups,
  watches,
}: {
  groups: readonly ListedGroup[];
  watches: readonly GroupWatch[];
}) {
  const [text, setText] = useUrlState("name", "");
  const [health, setHealth] = useUrlState("health", "");
  const [cluster, setCluster] = useUrlState("cluster", "");
  const [mirrors, setMirrors] = useUrlState("mirrors", "yes");
  const [order, setOrder] = useUrlState("order", "health");
  const [limit, setLimit] = useUrlState("limit", String(SHOWN));
  const found = sortGroups(
    filterGroups(groups, { text, health, cluster, mirrors: mirrors === "yes" }),
    order in ORDERS ? (order as Order) : "health",
  );
  const most = Math.max(SHOWN, Number.parseInt(limit, 10) || SHOWN);
  const oldest = watches
    .flatMap(({ passed_at, error }) => (passed_at && !error ? [passed_at] : []))
    .sort()[0];
  return (
    <>
      <div className={filters["filters"]}>
        <TextInput
          aria-label="Filter by group or topic"
          placeholder="Filter by group or topic"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value || null);
          }}
        />
        <Select
          aria-label="Filter by health"
          placeholder="Any health"
          clearable
          data={BY_SEVERITY.filter(
            (one) => one === health || groups.some((group) => group.health === one),
          ).map((one) => ({ value: one, label: HEALTH[one].word }))}
          value={health || null}
          onChange={setHealth}
        />
        {watches.length > 1 && (
          <Select
            aria-label="Filter by cluster"
            placeholder="Any cluster"
            clearable
            data={watches.map((watch) => ({ value: watch.cluster, label: watch.cluster_name }))}
            value={cluster || null}
            onChange={setCluster}
          />
        )}
        <Select
          aria-label="Sort by"
          allowDeselect={false}
          data={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
          value={order in ORDERS ? order : "health"}
          onChange={setOrder}
        />
        <Checkbox
          label="Weir's own jobs"
          checked={mirrors === "yes"}
          onChange={(event) => {
            setMirrors(event.currentTarget.checked ? "yes" : "no");
          }}
        />
        <span className="soft">
          {found.length === groups.length
            ? counted(groups.length, "group")
            : `${String(found.length)} of ${counted(groups.length, "group")}`}
          {oldest && (
            <>
              , as of <Ago at={oldest} />
            </>
          )}
        </span>
      </div>
      <Panel flush>
        {found.length ? (
          <>
            <GroupsTable groups={found.slice(0, most)} clusters={watches.length} />
            {found.length > most && (
              <LoadMore
                query={{
                  hasNextPage: true,
                  isFetchingNextPage: false,
                  fetchNextPage: () => {
                    setLimit(String(most + SHOWN));
                  },
                }}
              />
            )}
          </>
        ) : (
          <Empty
            title="No matching groups"
            action={
              <Button component={Link} href="/consumers" variant="default">
                Clear filters
              </Button>
            }
          />
        )}
      </Panel>
    </>
  );
}
