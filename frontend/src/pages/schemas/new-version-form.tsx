import type { RegisteredSchema, SchemaReference } from "../../api/types";
import { useWorkspace } from "../../api/workspace-context";
import { useSharedDraft } from "../../drafts/use-shared-draft";
import { SchemaForm, type WrittenSchema } from "./schema-form";

const NONE: readonly SchemaReference[] = [];

interface NewVersionFormProps {
  subject: string;
  kind: RegisteredSchema["schema_type"];
  /** the newest one, which a new one begins from */
  version: number;
  text: string;
  references?: readonly SchemaReference[];
}

/** A further version of a subject. */
export function NewVersionForm({ subject, kind, version, text, references = NONE }: NewVersionFormProps) {
  const { slug } = useWorkspace();
  const stored = { revision: version, value: { text, references }, by: "" };
  const draft = useSharedDraft<WrittenSchema>(versionDraftName(slug, subject), stored);
  return (
    <SchemaForm
      subject={subject}
      kind={kind}
      version={version}
      draft={draft}
      onRegistered={(registered, value) => {
        if (registered.version > version) draft.saved(value, { revision: registered.version, value, by: "" });
      }}
    />
  );
}

export function versionDraftName(workspace: string, subject: string): string {
  return `${workspace}.schema.${subject}`;
}
