import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { useSubjects } from "../../api/schemas";
import type { SchemaReference } from "../../api/types";
import { Icon } from "../../ui/icons";
import { NumberField } from "../../ui/number-field";
import classes from "./schemas.module.css";

interface ReferencesFormProps {
  references: readonly SchemaReference[];
  onChange: (references: SchemaReference[]) => void;
}

/** Other subjects whose schemas this one uses, each by the name under which it does. */
export function ReferencesForm({ references, onChange }: ReferencesFormProps) {
  const subjects = useSubjects();
  const newest = new Map((subjects.data?.results ?? []).map(({ name, newest: version }) => [name, version]));
  const replace = (at: number, part: Partial<SchemaReference>) => {
    onChange(references.map((one, index) => (index === at ? { ...one, ...part } : one)));
  };
  return (
    <fieldset className={classes["references"]}>
      <legend>References</legend>
      {references.map((reference, at) => (
        <div key={at} className={classes["row"]}>
          <TextInput
            label="Reference name"
            description="Full type name, or URI in JSON Schema"
            value={reference.name}
            onChange={(e) => {
              replace(at, { name: e.currentTarget.value });
            }}
          />
          <Select
            label="Referenced subject"
            description="Subject of the schema"
            searchable
            allowDeselect={false}
            data={[...newest.keys()]}
            value={reference.subject || null}
            onChange={(subject) => {
              if (subject) replace(at, { subject, version: newest.get(subject) ?? 1 });
            }}
          />
          <NumberField
            label="Version"
            description="Of that subject"
            min={1}
            value={reference.version}
            onChange={(version) => {
              replace(at, { version });
            }}
            w={110}
          />
          <ActionIcon
            variant="default"
            size={30}
            aria-label={`Remove reference ${reference.name}`}
            onClick={() => {
              onChange(references.filter((_, index) => index !== at));
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
          onChange([...references, { name: "", subject: "", version: 1 }]);
        }}
      >
        Add reference
      </Button>
    </fieldset>
  );
}
