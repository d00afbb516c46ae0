import { TextInput } from "@mantine/core";
import { useState } from "react";
import { ownValue } from "../../api/own-value";
import { parsePath, pathText } from "../../api/source-path";
import type { Problem, SchemaField } from "../../api/types";
import { Badge } from "../../ui/status";
import type { WrittenNames } from "../outline";
import { problemsAt } from "../problem-list";
import { PathAnchor } from "./path-anchor";
import classes from "../composer.module.css";

interface WrittenNamesProps {
  output: string;
  schema: readonly SchemaField[];
  names: WrittenNames;
  problems: readonly Problem[];
  onChange: (names: WrittenNames) => void;
}

/** Renames fields in an output's records; the job and its live result keep their names. */
export function WrittenNamesField({ output, schema, names, problems, onChange }: WrittenNamesProps) {
  const at = ["outputs", output, "to", "names"];
  const known = schema.map(({ name }) => name);
  const fields = [...known, ...Object.keys(names).filter((name) => !known.includes(name))];
  const renamed = Object.keys(names).length;
  const wrong = problemsAt(problems, at);
  const write = (field: string, path: readonly string[] | null) => {
    onChange(
      path === null
        ? Object.fromEntries(Object.entries(names).filter(([name]) => name !== field))
        : { ...names, [field]: path },
    );
  };
  return (
    <PathAnchor path={at}>
      <details className={classes["written"]}>
        <summary>
          Output field names{renamed > 0 && <span className="soft"> · {renamed} renamed</span>}
          {wrong !== null && (
            <>
              {" "}
              <Badge tone="bad" plain>
                Error
              </Badge>
            </>
          )}
        </summary>
        <p className="soft">
          Renames fields in this topic's records only. Use a dot for nested objects (user.id) and
          [&quot;a.b&quot;] for a name with a dot.
        </p>
        {wrong !== null && fields.every((field) => problemsAt(problems, [...at, field]) === null) && (
          <p className={classes["wrong"]}>{wrong}</p>
        )}
        <table className={classes["writtenTable"]}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Output name</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>
                  <PathAnchor path={[...at, field]}>
                    <WrittenName
                      field={field}
                      path={ownValue(names, field) ?? null}
                      wrong={problemsAt(problems, [...at, field])}
                      onChange={(path) => {
                        write(field, path);
                      }}
                    />
                  </PathAnchor>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {!fields.length && <p className="soft">Fields appear once the input is valid.</p>}
      </details>
    </PathAnchor>
  );
}

interface WrittenNameProps {
  field: string;
  path: readonly string[] | null;
  wrong: string | null;
  onChange: (path: readonly string[] | null) => void;
}

/** One output name; an invalid path is not applied. */
function WrittenName({ field, path, wrong, onChange }: WrittenNameProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const isUnread = typed !== null && typed !== "" && namesIn(typed) === undefined;
  const read = (text: string) => {
    const found = text === "" ? null : namesIn(text);
    setTyped(text); // as it is typed: a blank at its end may be the first half of "first name"
    if (found !== undefined) onChange(found);
  };
  return (
    <TextInput
      size="xs"
      aria-label={`Output name of ${field}`}
      className={classes["mono"] ?? ""}
      placeholder={`Default: ${field}`}
      value={typed ?? (path === null ? "" : pathText(path))}
      error={!isUnread ? wrong : 'Use user.id, or ["a.b"] for a name with a dot.'}
      onChange={(e) => {
        read(e.currentTarget.value);
      }}
      onBlur={() => {
        setTyped(null);
      }}
    />
  );
}

/** The members of a path without array indexes; undefined for an invalid path. */
function namesIn(text: string): string[] | undefined {
  const path = parsePath(text);
  return path?.every((segment) => typeof segment === "string") ? path.map(String) : undefined;
}
