import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { RegisteredSchema } from "../../api/types";
import { Page, Panel } from "../../ui/page";
import { Term } from "../../ui/term";
import { NewVersionForm } from "./new-version-form";
import classes from "./schemas.module.css";

const KINDS: readonly { value: RegisteredSchema["schema_type"]; label: string }[] = [
  { value: "AVRO", label: "Avro" },
  { value: "JSON", label: "JSON Schema" },
];

/** The first schema of a subject. */
export function NewSchemaPage() {
  const [subject, setSubject] = useState("");
  const [kind, setKind] = useState<RegisteredSchema["schema_type"]>("AVRO");
  const [, navigate] = useLocation();
  return (
    <Page title="Register a schema" parent={{ label: "Schemas", href: "/schemas" }}>
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
            onRegistered={() => {
              navigate(`/schemas/${encodeURIComponent(subject.trim())}`);
            }}
          />
        </div>
      </Panel>
    </Page>
  );
}
