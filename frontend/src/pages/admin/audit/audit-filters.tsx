import { Autocomplete, Select, TextInput } from "@mantine/core";
import { useMembers } from "../../../api/workspaces";
import { useFollowed } from "../../../ui/followed-text";
import { instant, localInputText, utcTime, zoneId } from "../../../ui/format/times";
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
  const of = (name: Parameter) => ({
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
  const [text, setText] = useFollowed(value);
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
  const [text, setText] = useFollowed(value);
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
  const chosen = instant(value);
  const shown = chosen ? localInputText(chosen).slice(0, 16) : "";
  const [text, setText] = useFollowed(shown);
  const at = new Date(text);
  const submit = () => {
    // The seconds that an address may have are not shown, and stay.
    if (text !== shown) onSubmit(Number.isNaN(at.getTime()) ? "" : at.toISOString());
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
