import { Autocomplete, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useMembers } from "../../../api/workspaces";
import { localInputText, utcTime, zoneId } from "../../../ui/format/times";
import { ACTIONS, choices, KINDS, type Parameter } from "./audit-filter";
import classes from "./audit.module.css";

interface AuditFiltersProps {
  search: URLSearchParams;
  onChange: (name: Parameter, value: string | null) => void;
}

/** Texts and times apply on Enter or when left, choices at once. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const members = useMembers();
  const names = (members.data?.results ?? []).map(({ user }) => user.username);
  const value = (name: Parameter) => search.get(name) ?? "";
  // An input begins anew when its value changes elsewhere, as by Clear filters.
  const of = (name: Parameter) => ({
    key: `${name} ${value(name)}`,
    value: value(name),
    onSubmit: (text: string) => {
      onChange(name, text || null);
    },
  });
  const chosen = (name: Parameter) => ({
    placeholder: "Any",
    clearable: true,
    value: value(name) || null,
    onChange: (choice: string | null) => {
      onChange(name, choice);
    },
  });
  return (
    <div className={classes["filters"]}>
      <PersonInput {...of("person")} names={names} />
      <Select label="Action" {...chosen("action")} data={choices(ACTIONS)} />
      <Select label="Object type" {...chosen("type")} data={choices(KINDS)} />
      <ObjectInput {...of("object")} />
      <TimeInput {...of("from")} label="From" />
      <TimeInput {...of("to")} label="To" />
    </div>
  );
}

interface SubmittedProps {
  value: string;
  onSubmit: (text: string) => void;
}

/** Members as suggestions; former members are found by their name, too. */
function PersonInput({ value, onSubmit, names }: SubmittedProps & { names: readonly string[] }) {
  const [text, setText] = useState(value);
  const submit = (name: string) => {
    if (name !== value) onSubmit(name);
  };
  return (
    <Autocomplete
      size="xs"
      label="User"
      placeholder="Any"
      maxLength={150}
      data={[...names]}
      value={text}
      onChange={setText}
      onOptionSubmit={submit}
      onBlur={() => {
        submit(text);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") submit(text);
      }}
    />
  );
}

function ObjectInput({ value, onSubmit }: SubmittedProps) {
  const [text, setText] = useState(value);
  const submit = () => {
    if (text !== value) onSubmit(text);
  };
  return (
    <TextInput
      label="Object"
      placeholder="Name or ID"
      maxLength={100}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
      }}
      onBlur={submit}
      onKeyDown={(event) => {
        if (event.key === "Enter") submit();
      }}
    />
  );
}

/** A moment in the person's zone; the address holds it in UTC. */
function TimeInput({ value, onSubmit, label }: SubmittedProps & { label: string }) {
  const [text, setText] = useState(() => {
    const at = new Date(value);
    return Number.isNaN(at.getTime()) ? "" : localInputText(at).slice(0, 16);
  });
  const at = new Date(text);
  const submit = () => {
    const submitted = Number.isNaN(at.getTime()) ? "" : at.toISOString();
    if (submitted !== value) onSubmit(submitted);
  };
  return (
    <TextInput
      type="datetime-local"
      className={classes["time"] ?? ""}
      label={`${label} (${zoneId()})`}
      {...(text && { title: utcTime(at) })}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
      }}
      onBlur={submit}
      onKeyDown={(event) => {
        if (event.key === "Enter") submit();
      }}
    />
  );
}
