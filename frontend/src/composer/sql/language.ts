/** Our SQL for CodeMirror: Spark's signs with our words. */

import { SQLDialect } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { KEYWORDS, TABLE_FUNCTIONS } from "./words";

const dialect = SQLDialect.define({
  keywords: KEYWORDS.join(" ").toLowerCase(),
  builtin: TABLE_FUNCTIONS.join(" ").toLowerCase(),
  types: "",
  backslashEscapes: true,
  doubleQuotedStrings: true,
  identifierQuotes: "`",
});

/** Lines are wrapped: a select list is one. */
export const sqlLanguage: Extension = [dialect.extension, EditorView.lineWrapping];
