import { useDebouncedValue } from "@mantine/hooks";
import type { CheckResult, Problem } from "../api/types";
import { counted } from "../ui/format/numbers";
import { Panel } from "../ui/page";
import { Badge } from "../ui/status";
import { modeLabel } from "../ui/labels";
import { useCarriedStreams } from "./carried-streams";
import type { Located } from "./document-text";
import { Forecast } from "./forecast";
import { Lineage } from "./lineage";
import { NodeDetails } from "./node-details";
import { ProblemList } from "./problem-list";
import { Script } from "./script";
import { TYPING_PAUSE_MS } from "./use-document";
import classes from "./composer.module.css";

interface CheckPanelProps {
  text: string;
  problems: readonly Located[];
  checked: CheckResult | undefined;
  /** also show the output of each step, which the form shows at the step */
  steps: boolean;
  onGoTo?: (problem: Located) => void;
  /** whether a problem has a place to go to; left out, all have */
  isPlaced?: (problem: Problem) => boolean;
}

/**
 * The result of a check: problems, execution mode, outputs, column lineage, state size estimate, PySpark
 * export.
 */
export function CheckPanel({ text, problems, checked, steps, onGoTo, isPlaced }: CheckPanelProps) {
  const errors = problems.filter(({ problem }) => problem.severity === "error").length;
  const title = errors ? (
    <Badge tone="bad" plain>
      {counted(errors, "problem")}
    </Badge>
  ) : (
    <Badge tone={checked ? "good" : "idle"} plain>
      {checked ? "No problems" : "Not checked yet"}
    </Badge>
  );
  return (
    <div className={classes["side"]}>
      <Panel title={title}>
        {problems.length ? (
          <ProblemList
            problems={problems.map(({ problem }) => problem)}
            {...(isPlaced && { isPlaced })}
            {...(onGoTo && {
              onChoose: (index: number) => {
                const chosen = problems[index];
                if (chosen) onGoTo(chosen);
              },
            })}
          />
        ) : (
          <p className="soft">{checked ? "Ready to run." : "Checked as you type."}</p>
        )}
      </Panel>
      {checked && errors === 0 && (
        <Panel title={`Execution mode: ${modeLabel(checked.mode.mode).toLowerCase()}`}>
          <ul className={classes["reasons"]}>
            {checked.mode.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </Panel>
      )}
      {checked && errors === 0 && checked.queries.length > 1 && (
        <Panel title={`Runs as ${checked.queries.length} queries, each with its own state`}>
          <ul className={classes["reasons"]}>
            {checked.queries.map((query) => (
              <li key={query.name}>
                <strong>{queryTitle(query)}</strong>: {query.reason}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {steps && checked && checked.nodes.length > 0 && (
        <Panel title="Step outputs">
          {checked.nodes.map((node) => (
            <div key={node.name} className={classes["node"]}>
              <h3 className={classes["nodeHead"]}>
                {node.name} <span className="soft">{node.op}</span>
              </h3>
              <NodeDetails node={node} />
            </div>
          ))}
        </Panel>
      )}
      {checked && errors === 0 && <CheckDetails text={text} checked={checked} />}
    </div>
  );
}

/** The outputs of a query, and the steps whose rows it hands to the other query. */
function queryTitle({ outputs, exchange_out: exchanged }: CheckResult["queries"][number]): string {
  return [...outputs, ...exchanged.map((step) => `${step} (for the other query)`)].join(", ");
}

/** Shown for documents without errors. */
function CheckDetails({ text, checked }: { text: string; checked: CheckResult }) {
  const [settled] = useDebouncedValue(text, TYPING_PAUSE_MS);
  const name: unknown = checked.document?.["name"];
  const isWorkspaces = useCarriedStreams() === null;
  return (
    <>
      {Object.keys(checked.lineage).length > 0 && (
        <Lineage lineage={checked.lineage} paths={checked.source_paths} />
      )}
      {isWorkspaces && checked.nodes.some(({ state }) => state.bound !== "none") && (
        <Forecast text={settled} nodes={checked.nodes} />
      )}
      {isWorkspaces && checked.outputs.length > 0 && (
        <Script text={settled} name={typeof name === "string" ? name : "job"} />
      )}
    </>
  );
}
