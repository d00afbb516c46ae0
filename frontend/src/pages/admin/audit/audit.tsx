import { Button } from "@mantine/core";
import { useSearchParams } from "wouter";
import { auditExportAddress, useAuditTrail } from "../../../api/audit-trail";
import type { AuditFilter } from "../../../api/query-keys";
import { useMay, useWorkspace } from "../../../api/workspace-context";
import { ExportMenu } from "../../../ui/export-menu";
import { Icon } from "../../../ui/icons";
import { LoadMore } from "../../../ui/load-more";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { filterOf, withoutFilter, withPart } from "./audit-filter";
import { AuditFilters } from "./audit-filters";
import { AuditTable } from "./audit-table";
import classes from "./audit.module.css";

/** Who did what in the workspace, when, and from where. */
export function AuditTab() {
  if (useMay("read_audit_trail")) return <AuditTrail />;
  return (
    <Panel>
      <Empty title="Only owners can view the audit trail">
        It shows the addresses that people work from. Ask an owner for an export.
      </Empty>
    </Panel>
  );
}

function AuditTrail() {
  const [search, setSearch] = useSearchParams();
  const filter = filterOf(search);
  const events = useAuditTrail(filter);
  const clear = () => {
    setSearch(withoutFilter, { replace: true });
  };
  return (
    <>
      <AuditFilters
        search={search}
        onChange={(name, value) => {
          setSearch((before) => withPart(before, name, value), { replace: true });
        }}
      />
      <Panel
        title="Events"
        flush
        aside={
          <div className={classes["actions"]}>
            {Object.keys(filter).length > 0 && events.data?.results.length !== 0 && (
              <Button variant="default" onClick={clear}>
                Clear filters
              </Button>
            )}
            <Button
              variant="default"
              loading={events.isFetching && !events.isFetchingNextPage}
              leftSection={<Icon name="refresh" size={14} />}
              onClick={() => void events.refetch()}
            >
              Refresh
            </Button>
            <Export filter={filter} />
          </div>
        }
      >
        <QueryResult query={events} what="events">
          {({ results }) =>
            results.length ? <AuditTable events={results} /> : <NoEvents filter={filter} onClear={clear} />
          }
        </QueryResult>
        <LoadMore query={events} />
      </Panel>
    </>
  );
}

function NoEvents({ filter, onClear }: { filter: AuditFilter; onClear: () => void }) {
  if (!Object.keys(filter).length)
    return (
      <Empty title="No events yet">What members do in this workspace is recorded here for 400 days.</Empty>
    );
  return (
    <Empty
      title="No matching events"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  );
}

/** Everything that the filter lets through, not only the pages that were read. */
function Export({ filter }: { filter: AuditFilter }) {
  const { slug } = useWorkspace();
  return (
    <ExportMenu label="All matching events" address={(format) => auditExportAddress(slug, filter, format)} />
  );
}
