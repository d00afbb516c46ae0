import type { Checked } from "../api/types";
import { counted } from "../ui/format/numbers";
import { Panel } from "../ui/page";
import { Mark } from "../ui/status";
import { modeWord } from "../ui/words";
import type { Located } from "./document-text";
import { NodeFacts } from "./node-facts";
import { ProblemList } from "./problem-list";
import classes from "./composer.module.css";

interface FindingsProps { problems: readonly Located[]; checked: Checked | undefined; onGoTo?: (at: number) => void }

/** What a check says: problems, how it would run, what each step gives. */
export function Findings({ problems, checked, onGoTo }: FindingsProps) {
  const errors = problems.filter(({ problem }) => problem.severity === "error").length;
  const title = errors ? <Mark tone="bad" plain>{counted(errors, "problem")}</Mark> : <Mark tone={checked ? "good" : "idle"} plain>{checked ? "No problems" : "Not checked yet"}</Mark>;
  return (
    <div className={classes["side"]}>
      <Panel title={title}>
        {problems.length ? (
          <ProblemList problems={problems.map(({ problem }) => problem)} {...(onGoTo && { onChoose: (index) => { onGoTo(problems[index]?.from ?? 0); } })} />
        ) : (
          <p className="soft">{checked ? "This document can be run as it is." : "It is checked while you type."}</p>
        )}
      </Panel>
      {checked && errors === 0 && (
        <Panel title={`Would run in ${modeWord(checked.mode.mode).toLowerCase()} mode`}>
          <ul style={{ margin: 0, paddingLeft: 18 }}>{checked.mode.reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>
        </Panel>
      )}
      {checked && errors === 0 && checked.stages.length > 1 && (
        <Panel title={`Runs as ${checked.stages.length} queries, each with its own state`}>
          <ul style={{ margin: 0, paddingLeft: 18 }}>{checked.stages.map(({ name, outputs, reason }) => <li key={name}><strong>{outputs.join(", ")}</strong>: {reason}</li>)}</ul>
        </Panel>
      )}
      {checked && checked.nodes.length > 0 && (
        <Panel title="What each step gives">
          {checked.nodes.map((node) => (
            <div key={node.name} className={classes["node"]}>
              <h3 className={classes["nodeHead"]}>{node.name} <span className="soft">{node.op}</span></h3>
              <NodeFacts node={node} />
            </div>
          ))}
        </Panel>
      )}
    </div>
  );
}
