import { ownValue } from "../../../api/own-value";
import { problemsAt } from "../../../composer/problem-list";
import { Cell } from "./cell";
import type { EditProps } from "./edit-props";
import { AddRow, RemoveRow } from "./row-buttons";
import { cellText, setAt, setCell, type Path, type RecordRow } from "./test-model";
import classes from "./tests.module.css";

interface RecordTableProps extends EditProps {
  batch: number;
  source: string;
  rows: readonly RecordRow[];
}

/** The records of one source in one batch; one that is raw has its value instead of fields. */
export function RecordTable({ batch, source, rows, text, setText, fields, problems }: RecordTableProps) {
  const known = ownValue(fields?.sources ?? {}, source);
  const names = known?.fields ?? [];
  const path: Path = ["batches", batch, "records", source];
  const where = `batch ${String(batch + 1)}, ${source}`;
  const types = new Map(names.map((field) => [field.name, field.type]));
  return (
    <section className={classes["part"]}>
      <h3>{source}</h3>
      <div className={classes["scroll"]} tabIndex={0} role="region" aria-label={`Records of ${where}`}>
        <table className={classes["cells"]}>
          <thead>
            <tr>
              <th scope="col">Event time</th>
              {names.map(({ name, type }) => (
                <th key={name} scope="col" title={type}>
                  {name}
                </th>
              ))}
              <th scope="col">
                <span className="visually-hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => {
              const label = `${where}, record ${String(at + 1)}`;
              const here = [...path, at];
              const problem = (part: Path) => problemsAt(problems, [...here, ...part].map(String));
              const part = row.deletes ? "delete" : "values";
              return (
                <tr key={at}>
                  <td>
                    <Cell
                      label={`${label}, event time`}
                      text={row.at}
                      placeholder={row.at ? "" : "clock"}
                      problem={problem(["at"])}
                      onChange={(typed) => {
                        setText(setAt(text, [...here, "at"], typed.trim()));
                      }}
                    />
                  </td>
                  {row.values === null ? (
                    <td colSpan={Math.max(1, names.length)}>
                      <Cell
                        label={`${label}, value as it is in Kafka`}
                        text={cellText(row.value)}
                        problem={problem(["value"])}
                        onChange={(typed) => {
                          setText(setCell(text, [...here, "value"], typed || "null", "string"));
                        }}
                      />
                    </td>
                  ) : (
                    names.map(({ name }) => (
                      <td key={name}>
                        <Cell
                          label={`${label}, ${name}`}
                          text={cellText(ownValue(row.values ?? {}, name))}
                          problem={problem([part, name])}
                          onChange={(typed) => {
                            setText(setCell(text, [...here, part, name], typed, types.get(name) ?? ""));
                          }}
                        />
                      </td>
                    ))
                  )}
                  <td>
                    <RemoveRow text={text} setText={setText} path={here} label={label} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <AddRow
        text={text}
        setText={setText}
        path={path}
        label={`Add a record to ${where}`}
        row={{ values: {} }}
      >
        Record
      </AddRow>
    </section>
  );
}
