import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { Icon } from "../../../ui/icons";
import type { HeaderDraft } from "./record-draft";
import classes from "../stream.module.css";

const WAYS = [
  { value: "text", label: "Text" },
  { value: "base64", label: "Base64" },
  { value: "null", label: "Null" },
] as const;

/** Headers of a record: their order counts, and a name may stand more than once. */
export function HeadersForm({
  headers,
  onChange,
}: {
  headers: readonly HeaderDraft[];
  onChange: (headers: HeaderDraft[]) => void;
}) {
  const replace = (at: number, part: Partial<HeaderDraft>) => {
    onChange(headers.map((header, index) => (index === at ? { ...header, ...part } : header)));
  };
  return (
    <fieldset className={classes["headers"]}>
      <legend>Headers</legend>
      {headers.map((header, at) => (
        <div key={at} className={classes["bar"]}>
          <TextInput
            aria-label={`Name of header ${String(at + 1)}`}
            placeholder="Name"
            value={header.name}
            onChange={(e) => {
              replace(at, { name: e.currentTarget.value });
            }}
          />
          <TextInput
            aria-label={`Value of header ${String(at + 1)}`}
            placeholder="Value"
            disabled={header.as === "null"}
            value={header.value}
            onChange={(e) => {
              replace(at, { value: e.currentTarget.value });
            }}
            className={classes["wide"] ?? ""}
          />
          <Select
            aria-label={`Format of header ${String(at + 1)}`}
            allowDeselect={false}
            data={[...WAYS]}
            value={header.as}
            onChange={(as) => {
              replace(at, { as: WAYS.find(({ value }) => value === as)?.value ?? "text" });
            }}
            w={110}
          />
          <ActionIcon
            variant="default"
            aria-label={`Remove header ${String(at + 1)}`}
            onClick={() => {
              onChange(headers.filter((_, index) => index !== at));
            }}
          >
            <Icon name="close" size={12} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => {
          onChange([...headers, { name: "", value: "", as: "text" }]);
        }}
      >
        Add header
      </Button>
    </fieldset>
  );
}
