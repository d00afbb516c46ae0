/** Dense tables for short lists. Wide ones scroll inside their box, never the page. */

import { memo, type ReactNode } from "react";
import { ownValue } from "../api/own-value";
import { TERMS } from "./terms";
import classes from "./table.module.css";

export interface Column<T> {
  name: string;
  /** what the name means, as a key of `TERMS`; the name itself by default */
  term?: string;
  cell: (row: T) => ReactNode;
  numeric?: boolean;
  /** the name is read out but not shown: a column of buttons */
  unnamed?: boolean;
  /** left out below 700 px */
  wideOnly?: boolean;
}

interface TableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
}

export function Table<T>({ label, columns, rows, rowKey }: TableProps<T>) {
  return (
    <div className={classes["scroll"]} tabIndex={0} role="region" aria-label={label}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                title={ownValue(TERMS, column.term ?? column.name)}
                className={mark(column)}
              >
                {column.unnamed ? <span className="visually-hidden">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={rowKey(row)} columns={columns as readonly Column<unknown>[]} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function mark({ numeric, wideOnly }: Pick<Column<never>, "numeric" | "wideOnly">): string {
  return [numeric ? "num" : "", wideOnly ? (classes["wideOnly"] ?? "") : ""].join(" ");
}

/** Drawn anew only where its row or the columns are others: lists of hundreds change row by row. */
const Row = memo(function Row({ columns, row }: { columns: readonly Column<unknown>[]; row: unknown }) {
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.name} className={mark(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
});
