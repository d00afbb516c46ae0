import type { TestBatchOutcome } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { columnsOf, shownValue } from "./batch-rows";
import classes from "./tests.module.css";

/** The rows that came, batch by batch. */
export function RowsByBatch({ batches }: { batches: readonly TestBatchOutcome[] }) {
  if (!batches.length) return null;
  return (
    <>
      {batches.map(({ outputs, late }, at) => (
        <section key={at} className={classes["came"]} aria-label={`What came in batch ${String(at + 1)}`}>
          <h3>
            Batch {at + 1}{" "}
            {late > 0 && <span className="soft">late rows dropped: {counted(late, "row")}</span>}
          </h3>
          {outputs.map((output) => (
            <Came
              key={output.name}
              {...output}
              only={outputs.length === 1}
              where={`batch ${String(at + 1)}`}
            />
          ))}
        </section>
      ))}
    </>
  );
}

type CameProps = TestBatchOutcome["outputs"][number] & {
  /** the job has no other output */
  only: boolean;
  where: string;
};

function Came({ name, rows, more, only, where }: CameProps) {
  if (!rows.length && !more) return <p className="soft">{only ? "No rows." : `${name}: no rows.`}</p>;
  const columns = columnsOf(rows);
  return (
    <>
      {!only && <p className="soft">{name}</p>}
      <div
        className={classes["scroll"]}
        tabIndex={0}
        role="region"
        aria-label={`Rows of ${name} in ${where}`}
      >
        <table className={classes["cells"]}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {columns.map((column) => (
                  <td key={column}>
                    <code>{shownValue(row[column])}</code>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <p className="soft">and {counted(more, "more row")}</p>}
    </>
  );
}
