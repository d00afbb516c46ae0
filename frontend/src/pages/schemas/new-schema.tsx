import { Select, TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import type { RegisteredSchema } from "../../api/types";
import { useMay, useWorkspace } from "../../api/workspace-context";
import { writeDraft } from "../../drafts/shared-draft";
import { useSharedDraft } from "../../drafts/use-shared-draft";
import { Page, Panel } from "../../ui/page";
import { ForEditors } from "../../ui/placeholders";
import { Term } from "../../ui/term";
import { versionDraftName } from "./new-version-form";
import { SchemaForm, type WrittenSchema } from "./schema-form";
import classes from "./schemas.module.css";

const KINDS: readonly { value: RegisteredSchema["schema_type"]; label: string }[] = [
  { value: "AVRO", label: "Avro" },
  { value: "JSON", label: "JSON Schema" },
];

interface FirstSchema extends WrittenSchema {
  /** drafts of an earlier release have neither */
  subject?: string;
  kind?: RegisteredSchema["schema_type"];
}

const FIRST: FirstSchema = { text: "", references: [], subject: "", kind: "AVRO" };

/** The first schema of a subject. */
export function NewSchemaPage() {
  const mayEdit = useMay("edit");
  const parent = { label: "Schemas", href: "/schemas" };
  if (!mayEdit)
    return (
      <Page title="Register a schema" parent={parent}>
        <ForEditors what="register schemas" />
      </Page>
    );
  return (
    <Page title="Register a schema" parent={parent}>
      <Panel>
        <NewSchema />
      </Panel>
    </Page>
  );
}

function NewSchema() {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const draft = useSharedDraft(`${slug}.new-schema`, { revision: 0, value: FIRST, by: "" });
  const { subject = "", kind = "AVRO" } = draft.value;
  const change = (part: Partial<FirstSchema>) => {
    draft.setValue((before) => ({ ...before, ...part }));
  };
  return (
    <div className={classes["form"]}>
      <div className={classes["row"]}>
        <TextInput
          label={<Term>Subject</Term>}
          description="e.g. orders-value, orders-key"
          value={subject}
          onChange={(e) => {
            change({ subject: e.currentTarget.value });
          }}
          w={320}
        />
        <Select
          label="Schema type"
          allowDeselect={false}
          data={[...KINDS]}
          value={kind}
          onChange={(value) => {
            change({ kind: value === "JSON" ? "JSON" : "AVRO" });
          }}
        />
      </div>
      <SchemaForm
        subject={subject.trim()}
        kind={kind}
        version={0}
        draft={draft}
        onRegistered={({ version }, written, registered) => {
          const rest = draft.created(written);
          if (rest) {
            const original = { revision: version, value: schemaOf(written), by: "" };
            const value = schemaOf(rest.value);
            writeDraft(window.localStorage, versionDraftName(slug, registered), { original, value });
          }
          navigate(`/schemas/${encodeURIComponent(registered)}`);
        }}
      />
    </div>
  );
}

/** What a further version has of it. */
function schemaOf({ text, references }: FirstSchema): WrittenSchema {
  return { text, references };
}
