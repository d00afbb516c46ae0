export interface Written {
  sql: string | null;
  /** why there is none */
  said: string[];
  /** digest of all that the document says; null where it has errors */
  means: string | null;
  ok: boolean;
}
export interface Read {
  document: Record<string, unknown> | null;
  said: string[];
  means: string | null;
  ok: boolean;
}
export interface SqlFace {
  ask(question: { yaml: string }): Promise<Written>;
  ask(question: { sql: string; name: string }): Promise<Read>;
  close: () => void;
}
export function openSqlFace(): SqlFace;
export const EDITS: number;
export const SEED: number;
