import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { RegisteredSchema } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { Page, Panel } from "../../ui/page";
import { ForEditors } from "../../ui/placeholders";
import { Term } from "../../ui/term";
import { NewVersionForm } from "./new-version-form";
import classes from "./schemas.module.css";

const KINDS: readonly { value: RegisteredSchema["schema_type"]; label: string }[] = [
  { value: "AVRO", label: "Avro" },
  { value: "JSON", label: "JSON Schema" },
];

/** The first schema of a subject. */
export function NewSchemaPage() {
  const mayEdit = useMay("edit");
  const [subject, setSubject] = useState("");
  const [kind, setKind] = useState<RegisteredSchema["schema_type"]>("AVRO");
  const [, navigate] = useLocation();
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
        <div className={classes["form"]}>
          <div className={classes["row"]}>
            <TextInput
              label={<Term>Subject</Term>}
              description="e.g. orders-value, orders-key"
              value={subject}
              onChange={(e) => {
                setSubject(e.currentTarget.value);
              }}
              w={320}
            />
            <Select
              label="Schema type"
              allowDeselect={false}
              data={[...KINDS]}
              value={kind}
              onChange={(value) => {
                setKind(value === "JSON" ? "JSON" : "AVRO");
              }}
            />
          </div>
          <NewVersionForm
            subject={subject.trim()}
            kind={kind}
            text=""
            onRegistered={(registered) => {
              navigate(`/schemas/${encodeURIComponent(registered)}`);
            }}
          />
        </div>
      </Panel>
    </Page>
  );
}
