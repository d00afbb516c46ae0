import { Panel } from "../ui/page";
import classes from "./composer.module.css";

interface LineageProps {
  /** by column of the result, the source columns behind it as source.column */
  origins: Readonly<Record<string, readonly string[]>>;
}

/** Which columns of the sources each column of the result is made from. */
export function Lineage({ origins }: LineageProps) {
  return (
    <Panel title="What the result is made from">
      <dl className={classes["lineage"]}>
        {Object.entries(origins).map(([column, sources]) => (
          <div key={column}>
            <dt>{column}</dt>
            <dd>{sources.length ? sources.map((source) => <span key={source}>{originWords(source)}</span>) : <span className="soft">no field: it counts rows, or is the same in all</span>}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

/** `_time` is what the job language calls it; here it is what people call it. */
function originWords(source: string): string {
  const [stream = "", field = ""] = source.split(".");
  return field === "_time" ? `${stream}, event time` : source;
}
