/** A document's text as a YAML tree with text ranges. Comments and layout survive edits. No React. */

import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  parseDocument,
  Scalar,
  visit,
  YAMLParseError,
  type Document,
  type Node,
  type Pair,
  type ScalarTag,
  type Tags,
} from "yaml";
import { stringifyNumber } from "yaml/util";
import { losesDigits } from "../api/big-integers";
import type { Problem } from "../api/types";

export interface TextRange {
  from: number;
  to: number;
}
export interface Located extends TextRange {
  problem: Problem;
}

/** Numbers as the server reads them: to it `1e-7` and `0x1F` are texts (`jobs/document_text.py`). */
const WHOLE: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  identify: (value) => typeof value === "bigint" || Number.isInteger(value),
  test: /^-?(?:0|[1-9]\d{0,18})$/,
  // A number would be written back with other digits.
  resolve: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
  stringify: numberText,
};
const FRACTION: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number",
  test: /^-?(?:(?:0|[1-9]\d{0,17})\.\d{1,18}|0\.0{0,6}[1-9]\d{0,16})$/,
  resolve: (text) => {
    if (isText(text)) return text;
    const node = new Scalar(Number(text));
    if (text.endsWith("0")) node.minFractionDigits = text.length - text.indexOf(".") - 1;
    return node;
  },
  stringify: numberText,
};
const EXPONENT: ScalarTag = {
  ...FRACTION,
  format: "EXP",
  test: /^-?(?:0|[1-9]\d{0,17})\.\d{1,18}[eE][+-]?\d{1,3}$/,
  resolve: (text) => (isText(text) ? text : Number(text)),
  stringify: ({ value }) => withPoint(Number(value).toExponential()),
};

/** To the server a number of which a double would lose digits is a text, which keeps them for decimals. */
function isText(number: string): boolean {
  return Number.isFinite(Number(number)) && losesDigits(number);
}

/** Words that the server doesn't read as text: to it `NULL` and `True` are texts. */
const WORDS: Readonly<Record<string, RegExp>> = {
  "tag:yaml.org,2002:null": /^(?:null|~)?$/,
  "tag:yaml.org,2002:bool": /^(?:true|false)$/,
};

function customTags(tags: Tags): Tags {
  const others = tags.filter((one) => typeof one === "string" || !/:(?:int|float)$/.test(one.tag));
  const strict = others.map((one) => {
    const test = typeof one === "string" ? undefined : WORDS[one.tag];
    return test ? { ...(one as ScalarTag), test } : one;
  });
  return [...strict, WHOLE, FRACTION, EXPONENT];
}

/** A double with a point where it has an exponent, or more digits than a whole number may have. */
function numberText(node: Scalar): string {
  const { value } = node;
  const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value);
  return withPoint(isLarge ? Number(value).toExponential() : stringifyNumber(node));
}

function withPoint(text: string): string {
  return text.includes(".") ? text : text.replace("e", ".0e");
}

export function parseText(text: string): Document.Parsed {
  const uniqueKeys = (a: Node, b: Node) => isScalar(a) && isScalar(b) && nameOf(a) === nameOf(b);
  // A %YAML line in the text would bring YAML 1.1 with it, which the server doesn't read.
  const core = { schema: "core", merge: false, resolveKnownTags: false } as const;
  try {
    return parseDocument(text, {
      ...core,
      keepSourceTokens: true,
      prettyErrors: false,
      customTags,
      uniqueKeys,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const unread = parseDocument("");
    unread.errors.push(new YAMLParseError([0, 1], "RESOURCE_EXHAUSTION", "too many levels"));
    return unread;
  }
}

/** Levels of mappings and lists that the server reads (`jobs/document_text.py`). */
const MAX_DEPTH = 32;

/** False for syntax errors, aliases, keys that are no names and too many levels: the server reads none. */
function isReadable(document: Document.Parsed): boolean {
  let isRead = !document.errors.length;
  if (!isRead) return false;
  visit(document, (key, node, path) => {
    const isName = key !== "key" || isScalar(node);
    if (isName && !isAlias(node) && path.filter(isCollection).length <= MAX_DEPTH) return undefined;
    isRead = false;
    return visit.BREAK;
  });
  return isRead;
}

/**
 * The text's values; undefined where it can't be read (`isReadable`). Integers that a browser would round are
 * texts.
 */
export function plainOf(text: string): unknown {
  return valuesOf(text, (value) => (typeof value === "bigint" ? String(value) : value));
}

/** As `plainOf`, with those integers as bigint: what is written into a document again keeps them. */
export function exactOf(text: string): unknown {
  return valuesOf(text, (value) => value);
}

function valuesOf(text: string, reviver: (value: unknown) => unknown): unknown {
  const document = parseText(text);
  if (!isReadable(document)) return undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key)) key.value = nameOf(key);
    },
  });
  return document.toJS({ reviver: (_, value) => reviver(value) }) as unknown;
}

/** YAML syntax errors with their ranges, found without the server. */
export function syntaxProblems(text: string): Located[] {
  return parseText(text).errors.map((error) => ({
    from: error.pos[0],
    to: Math.max(error.pos[0] + 1, error.pos[1]),
    problem: {
      code: "YAML",
      path: [],
      message: `YAML syntax error: ${error.message}`,
      hint: "Check the indentation and brackets here.",
      severity: "error",
      span: null,
    },
  }));
}

/** A name as the server reads it: a text, also `null` and `1.0`. */
function nameOf(key: Scalar): string {
  return key.type === Scalar.PLAIN ? (key.source ?? "") : String(key.value);
}

function rangeOf(node: Node): TextRange | null {
  return node.range ? { from: node.range[0], to: Math.max(node.range[1], node.range[0]) } : null;
}

function pairAt(document: Document.Parsed, path: readonly string[]): Pair | null {
  const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const name = path.at(-1);
  if (typeof parent !== "object" || parent === null || !("items" in parent) || !Array.isArray(parent.items))
    return null;
  const found: unknown = parent.items.find(
    (item: unknown) => isPair(item) && isScalar(item.key) && nameOf(item.key) === name,
  );
  return isPair(found) ? found : null;
}

/** The range of the value at `path`; where there is none, of the nearest name above it. */
function rangeAt(
  document: Document.Parsed,
  path: readonly string[],
): { range: TextRange; exact: Node | null } {
  for (let length = path.length; length > 0; length -= 1) {
    const part = path.slice(0, length);
    const node: unknown = document.getIn(part, true);
    const complete = length === path.length;
    if (complete && isScalar(node)) {
      const range = rangeOf(node);
      if (range && range.to > range.from) return { range, exact: node };
    }
    const key = pairAt(document, part)?.key;
    const range = isNode(key) ? rangeOf(key) : isNode(node) ? rangeOf(node) : null;
    if (range) return { range, exact: null };
  }
  return { range: { from: 0, to: 0 }, exact: null };
}

/**
 * The text range of each problem. A span inside a folded text falls back to the whole value; that of a
 * problem of the whole text, which the server could not read, counts in the text.
 */
export function locate(text: string, problems: readonly Problem[]): Located[] {
  const document = parseText(text);
  return problems.map((problem) => {
    if (!problem.path.length && problem.span) {
      const [from = 0, to = from] = problem.span;
      return { from, to: Math.max(to, from + 1), problem };
    }
    const { range, exact } = rangeAt(document, problem.path);
    if (!exact || !problem.span || !isScalar(exact)) return { ...range, problem };
    const source = text.slice(range.from, range.to);
    const shift = source === exact.value ? 0 : source.slice(1, -1) === exact.value ? 1 : null;
    if (shift === null) return { ...range, problem };
    const [first = 0, end = first] = problem.span;
    const from = range.from + shift + first;
    return { from, to: Math.max(range.from + shift + end, from + 1), problem };
  });
}

/** The text after an edit of its tree; a text that can't be read stays as it is. */
export function edited(text: string, change: (document: Document.Parsed) => void): string {
  const document = parseText(text);
  if (!isReadable(document)) return text;
  if (isEmpty(document.contents)) document.contents = null; // gets the first name that is set
  for (const section of ["sources", "steps", "outputs", "settings"]) {
    const node: unknown = document.get(section, true);
    // Empty flow maps ({}) become block maps, so that entries get lines of their own.
    if (isMap(node) && node.items.length === 0 && section !== "settings") node.flow = false;
    // A name with nothing behind it reads as an empty section.
    if (isEmpty(node)) document.set(section, mapInstead(document, node));
  }
  change(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

export function isEmpty(node: unknown): node is Scalar<null> {
  return isScalar(node) && node.value === null;
}

/** An empty mapping with the comments of what it replaces. */
export function mapInstead(document: Document, { comment, commentBefore }: Node): Node {
  const map = document.createNode({});
  map.flow = false;
  map.comment = comment;
  map.commentBefore = commentBefore;
  return map;
}
