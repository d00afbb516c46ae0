import { Button, NativeSelect } from "@mantine/core";
import { ownValue } from "../../../api/own-value";
import { problemsAt } from "../../../composer/problem-list";
import { Icon } from "../../../ui/icons";
import { Cell } from "./cell";
import type { EditProps } from "./edit-props";
import { AddRow, RemoveRow } from "./row-buttons";
import {
  addAt,
  cellText,
  cellValue,
  ROW_KINDS,
  setAt,
  setCell,
  type ExpectedRows,
  type ExpectRow,
  type Path,
  type RowKind,
} from "./test-model";
import classes from "./tests.module.css";

interface ExpectationProps extends EditProps {
  path: Path;
  expect: ExpectRow;
  where: string;
}

/** What one batch must give, or what there must be at the end. */
export function Expectation({ path, expect, where, ...edit }: ExpectationProps) {
  const outputs = Object.keys(edit.fields?.outputs ?? {});
  const named = [...new Set([...Object.keys(expect.outputs), ...(path.length === 1 ? outputs : [])])];
  const others = outputs.filter((name) => !named.includes(name));
  const late: Path = [...path, "late"];
  const hasSteps = Object.keys(expect.steps).length > 0;
  return (
    <div className={classes["batchBody"]}>
      {named.map((name) => (
        <ExpectedOutput
          key={name}
          path={[...path, "outputs", name]}
          name={name}
          rows={ownValue(expect.outputs, name) ?? {}}
          where={where}
          {...edit}
        />
      ))}
      {hasSteps && (
        <p className="soft">
          Rows of steps are expected, too ({Object.keys(expect.steps).join(", ")}): see the YAML view.
        </p>
      )}
      <div className={classes["group"]}>
        {others.map((name) => (
          <Button
            key={name}
            size="xs"
            variant="subtle"
            onClick={() => {
              edit.setText(addAt(edit.text, [...path, "outputs", name, "contains"], {}));
            }}
            leftSection={<Icon name="plus" size={14} />}
          >
            Expect rows of {name}
          </Button>
        ))}
        <label className={classes["clock"]}>
          <span className="soft">Late rows</span>
          <span className={classes["cells"]}>
            <Cell
              label={`Late rows ${where}`}
              text={expect.late === null ? "" : String(expect.late)}
              placeholder="any"
              problem={problemsAt(edit.problems, late.map(String))}
              onChange={(typed) => {
                edit.setText(
                  setAt(edit.text, late, typed.trim() === "" ? undefined : cellValue(typed, "long")),
                );
              }}
            />
          </span>
        </label>
      </div>
    </div>
  );
}

interface ExpectedOutputProps extends EditProps {
  path: Path;
  name: string;
  rows: ExpectedRows;
  where: string;
}

function ExpectedOutput({ path, name, rows, where, text, setText, fields, problems }: ExpectedOutputProps) {
  const columns = ownValue(fields?.outputs ?? {}, name) ?? [];
  const kinds = ROW_KINDS.filter(({ kind }) => rows[kind] !== undefined);
  const shown = kinds.length ? kinds : ROW_KINDS.filter(({ kind }) => kind === "contains");
  return (
    <>
      {shown.map(({ kind, means }) => (
        <section key={kind} className={classes["part"]}>
          <div className={classes["group"]}>
            <h3>{name}</h3>
            <NativeSelect
              size="xs"
              aria-label={`What ${name} must give ${where}`}
              value={kind}
              data={ROW_KINDS.map((one) => ({ value: one.kind, label: one.label }))}
              onChange={(event) => {
                const next = event.currentTarget.value as RowKind;
                const moved = [...(rows[next] ?? []), ...(rows[kind] ?? [])];
                setText(setAt(setAt(text, [...path, next], moved), [...path, kind], undefined));
              }}
            />
            <span className="soft">
              {means} Fields that are left empty are not compared; &quot;&quot; is an empty text.
            </span>
          </div>
          <div
            className={classes["scroll"]}
            tabIndex={0}
            role="region"
            aria-label={`Rows expected of ${name} ${where}`}
          >
            <table className={classes["cells"]}>
              <thead>
                <tr>
                  {columns.map((field) => (
                    <th key={field.name} scope="col" title={field.type}>
                      {field.name}
                    </th>
                  ))}
                  <th scope="col">
                    <span className="visually-hidden">Remove</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {(rows[kind] ?? []).map((row, at) => {
                  const label = `${name} ${where}, row ${String(at + 1)}`;
                  return (
                    <tr key={at}>
                      {columns.map((field) => (
                        <td key={field.name}>
                          <Cell
                            label={`${label}, ${field.name}`}
                            text={cellText(row[field.name])}
                            problem={problemsAt(problems, [...path, kind, at, field.name].map(String))}
                            onChange={(typed) => {
                              setText(setCell(text, [...path, kind, at, field.name], typed, field.type));
                            }}
                          />
                        </td>
                      ))}
                      <td>
                        <RemoveRow text={text} setText={setText} path={[...path, kind, at]} label={label} />
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
            path={[...path, kind]}
            label={`Add a row to ${name} ${where}`}
            row={{}}
          >
            Row
          </AddRow>
        </section>
      ))}
    </>
  );
}
