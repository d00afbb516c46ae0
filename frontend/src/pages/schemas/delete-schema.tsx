import { Button } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { useDeleteSchema } from "../../api/schemas";
import { Confirm } from "../../ui/confirm";

interface DeleteSchemaProps {
  subject: string;
  /** null: all versions of the subject */
  version: number | null;
  /** it is hidden already, so that it can only go for good */
  hidden: boolean;
  /** nothing of the subject is left to show afterwards */
  last: boolean;
  onDone: () => void;
}

/** Hides a version or a subject; what is hidden can be removed for good. */
export function DeleteSchema({ subject, version, hidden, last, onDone }: DeleteSchemaProps) {
  const [asked, setAsked] = useState(false);
  const remove = useDeleteSchema(subject);
  const [, navigate] = useLocation();
  const what = version === null ? subject : `version ${String(version)} of ${subject}`;
  const verb = hidden ? "Delete for good" : "Delete";
  const done = () => { setAsked(false); if (last) navigate("/schemas"); else onDone(); };
  return (
    <>
      <Button variant="default" onClick={() => { setAsked(true); }}>{verb}</Button>
      <Confirm opened={asked} onClose={() => { setAsked(false); }} title={`${verb}: ${what}?`} verb={verb} busy={remove.isPending} error={remove.error} onConfirm={() => { remove.mutate({ version, permanent: hidden }, { onSuccess: done }); }}>
        {hidden ? <p>Lost: its text and, where no other subject has it, its id. Records that were written with that id can no longer be read by anybody.</p> : <p>It is no longer offered to producers and readers by its subject, and a new version need not fit it. Records with its id stay readable; it can be shown and removed for good afterwards.</p>}
      </Confirm>
    </>
  );
}
