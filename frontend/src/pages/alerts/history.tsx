import { useAlerts } from "../../api/alerts";
import { LoadMore } from "../../ui/load-more";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { QueryResult } from "../../ui/query-result";
import { AlertTable } from "./alert-table";

export function HistoryTab() {
  const query = useAlerts({ state: "resolved" });
  return (
    <Panel flush>
      <QueryResult query={query} what="alerts">
        {({ results }) =>
          results.length ? (
            <AlertTable label="Resolved alerts" alerts={results} resolved />
          ) : (
            <Empty title="No resolved alerts yet">Alerts are kept for 90 days after they are resolved.</Empty>
          )
        }
      </QueryResult>
      <LoadMore query={query} />
    </Panel>
  );
}
