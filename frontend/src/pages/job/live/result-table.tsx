import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { CachedRow, ResultView } from "../../../live/result-store";
import { totalText } from "../../../live/total-text";
import { count } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { hasSelectedText } from "../../../ui/selected-text";
import { columnsOf } from "./columns";
import { ResultCell } from "./result-cell";
import type { RowShape } from "./row-shape";
import classes from "./result-table.module.css";

const ROW_HEIGHT = 30;
// As in the stylesheet: head and body need one width, or their columns part.
const GAP = 12;
const PADDING = 32 - GAP;

interface ResultTableProps {
  rows: readonly CachedRow[];
  shape: RowShape;
  sort: string;
  onSort: (sort: string) => void;
  /** what the rows are a part of */
  of: Pick<ResultView, "total" | "totalIs" | "truncated">;
  /** id of the row whose inputs are shown */
  picked?: string;
  /** picks a row by its id */
  onPick?: (id: string) => void;
}

function rowClass(pickable: boolean): string {
  return [classes["row"], classes["data"], pickable && classes["pickable"]].filter(Boolean).join(" ");
}

/** The newest rows by key; only those in sight are drawn. Cells that changed flash once. */
export function ResultTable({ rows, shape, sort, onSort, of, picked, onPick }: ResultTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const columns = columnsOf(shape);
  // eslint-disable-next-line react-hooks/incompatible-library -- concerns the React compiler, not used here
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  const template = {
    gridTemplateColumns: columns
      .map(({ least, share }) => `minmax(${String(least)}px, ${String(share)}fr)`)
      .join(" "),
  };
  const width = { minWidth: columns.reduce((sum, { least }) => sum + least + GAP, PADDING) };
  const field = sort.replace(/^-/, "");
  return (
    <div className={classes["table"]}>
      <div
        ref={box}
        className={classes["scroll"]}
        tabIndex={0}
        role="table"
        aria-label="Newest rows by key"
        aria-rowcount={rows.length + 1}
      >
        <div role="rowgroup" className={classes["head"]} style={width}>
          <div role="row" className={classes["row"]} style={template}>
            {columns.map((column) => (
              <div
                key={column.field}
                role="columnheader"
                className={column.numeric ? classes["right"] : undefined}
                aria-sort={
                  field === column.field ? (sort.startsWith("-") ? "descending" : "ascending") : "none"
                }
              >
                <button
                  type="button"
                  className={classes["sort"]}
                  onClick={() => {
                    onSort(sort === `-${column.field}` ? column.field : `-${column.field}`);
                  }}
                >
                  {column.title}
                  {field === column.field && <Icon name={sort.startsWith("-") ? "down" : "up"} size={12} />}
                </button>
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={classes["body"]} style={{ ...width, height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                className={rowClass(onPick !== undefined)}
                style={{ ...template, transform: `translateY(${String(item.start)}px)` }}
                {...(onPick && {
                  tabIndex: 0,
                  title: "Show the records that made this row",
                  "aria-selected": row.id === picked,
                  onClick: ({ currentTarget }) => {
                    if (!hasSelectedText(currentTarget)) onPick(row.id);
                  },
                  onKeyDown: (event) => {
                    if (event.key === "Enter") onPick(row.id);
                  },
                })}
              >
                {columns.map((column) => (
                  <ResultCell key={column.field} row={row} column={column} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
      <p className={classes["foot"]}>
        {count(rows.length)} {rows.length === 1 ? "row" : "rows"}
        {of.truncated ? `, the newest of ${totalText(of)}` : ""}
      </p>
    </div>
  );
}
