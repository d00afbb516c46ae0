import type { TestDifference, TestOutcome } from "../../../api/types";
import { jsonText } from "../../../api/big-integers";
import { counted } from "../../../ui/format/numbers";
import classes from "./tests.module.css";

/** How what came differs from what was expected, row by row. */
export function Differences({ outcome }: { outcome: TestOutcome }) {
  const hidden = outcome.total - outcome.differences.length;
  return (
    <>
      {outcome.message && <p style={{ whiteSpace: "pre-wrap" }}>{outcome.message}</p>}
      {outcome.diverged && (
        <p>
          Rows first differ from those of the last passing run in step{" "}
          <strong>{outcome.diverged.step}</strong>, batch {outcome.diverged.batch + 1}.
        </p>
      )}
      {outcome.differences.length > 0 && (
        <ul className={classes["differences"]}>
          {outcome.differences.map((difference, index) => (
            <li key={index}>
              <p>{difference.message}</p>
              <Rows difference={difference} />
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && <p className="soft">and {counted(hidden, "more difference")}</p>}
    </>
  );
}

function Rows({ difference }: { difference: TestDifference }) {
  const { kind, fields, expected, got } = difference;
  if (kind === "count" || kind === "incomplete") return null;
  if (kind === "differs")
    return (
      <>
        <div className={classes["scroll"]} tabIndex={0} role="region" aria-label="Fields that differ">
          <table className={classes["cells"]}>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Expected</th>
                <th scope="col">Got</th>
              </tr>
            </thead>
            <tbody>
              {fields.map((field) => (
                <tr key={field.field}>
                  <th scope="row">{field.field}</th>
                  <td>
                    <code>{jsonText(field.expected)}</code>
                  </td>
                  <td>{field.absent ? "no such field" : <code>{jsonText(field.got)}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <code className={classes["row"]}>{jsonText(got)}</code>
      </>
    );
  const isMissing = kind === "missing";
  return (
    <code className={`${classes["row"] ?? ""} ${classes[isMissing ? "missing" : "unexpected"] ?? ""}`}>
      {isMissing ? "− " : "+ "}
      {jsonText(isMissing ? expected : got)}
    </code>
  );
}
