import { useState } from "react";

interface Row {
  name: string;
  key: number;
}

/** Keys of rows by their names: the row that has only another name now keeps its key. */
export function rowKeys(before: readonly Row[], names: readonly string[]): readonly Row[] {
  const gone = before.filter(({ name }) => !names.includes(name));
  const added = names.filter((name) => !before.some((row) => row.name === name));
  const [only] = gone.length === 1 && added.length === 1 ? gone : [];
  let free = 1 + Math.max(0, ...before.map(({ key }) => key));
  return names.map((name) => {
    const same = before.find((row) => row.name === name) ?? only;
    if (same) return { name, key: same.key };
    free += 1;
    return { name, key: free };
  });
}

/**
 * Keys for the forms of named rows. A form whose row is renamed in it stays, and the focus in it: what was
 * clicked or tabbed to when the name was left.
 */
export function useRowKeys(names: readonly string[]): (name: string) => number {
  const [rows, setRows] = useState<readonly Row[]>(() => rowKeys([], names));
  const isSame = rows.length === names.length && rows.every(({ name }, at) => name === names[at]);
  const now = isSame ? rows : rowKeys(rows, names);
  if (!isSame) setRows(now);
  return (name) => now.find((row) => row.name === name)?.key ?? 0;
}
