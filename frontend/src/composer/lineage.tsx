import type { CheckResult } from "../api/types";
import { Panel } from "../ui/page";
import classes from "./composer.module.css";

interface LineageProps {
  /** by output and column, the source columns behind it as source.column */
  lineage: CheckResult["lineage"];
  /** paths in the record of source columns whose names differ there */
  paths: CheckResult["source_paths"];
}

/** The source columns of each output column. */
export function Lineage({ lineage, paths }: LineageProps) {
  const outputs = Object.entries(lineage);
  return (
    <Panel title="Column lineage">
      {outputs.map(([output, columns]) => (
        <div key={output} className={classes["node"]}>
          {outputs.length > 1 && <h3 className={classes["nodeHead"]}>{output}</h3>}
          <dl className={classes["lineage"]} aria-label={`Columns of ${output}`}>
            {Object.entries(columns).map(([column, sources]) => (
              <div key={column}>
                <dt>{column}</dt>
                <dd>
                  {sources.length ? (
                    sources.map((source) => (
                      <span key={source}>
                        {lineageText(source)}
                        {paths[source] && (
                          <span className="soft">
                            {" "}
                            (read from <code>{paths[source]}</code>)
                          </span>
                        )}
                      </span>
                    ))
                  ) : (
                    <span className="soft">no source column</span>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </Panel>
  );
}

/** The event time is `_time` in documents; users know it by its usual name. */
function lineageText(source: string): string {
  const [stream = "", field = ""] = source.split(".");
  return field === "_time" ? `${stream}, event time` : source;
}
