import { Button } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { useDeleteSchema } from "../../api/schemas";
import { Confirm } from "../../ui/confirm";

interface DeleteSchemaProps {
  subject: string;
  /** null: all versions of the subject */
  version: number | null;
  /** it is soft-deleted already, so it can only be deleted permanently */
  hidden: boolean;
  /** nothing of the subject is left to show afterwards */
  last: boolean;
  onDone: () => void;
}

/** Soft-deletes a version or a subject; a soft-deleted one can be deleted permanently. */
export function DeleteSchema({ subject, version, hidden, last, onDone }: DeleteSchemaProps) {
  const [confirming, setConfirming] = useState(false);
  const remove = useDeleteSchema(subject);
  const [, navigate] = useLocation();
  const what = version === null ? subject : `version ${String(version)} of ${subject}`;
  const verb = hidden ? "Delete permanently" : "Delete";
  const done = () => {
    setConfirming(false);
    if (last) navigate("/schemas");
    else onDone();
  };
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setConfirming(true);
        }}
      >
        {verb}
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => {
          setConfirming(false);
        }}
        title={`${verb}: ${what}?`}
        verb={verb}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          remove.mutate({ version, permanent: hidden }, { onSuccess: done });
        }}
      >
        {hidden ? (
          <p>
            This deletes the schema and, unless another subject uses it, its ID. Records with this schema ID
            become unreadable. This can't be undone.
          </p>
        ) : (
          <p>
            Soft delete: hidden from clients and compatibility checks. Existing records stay readable; you can
            delete it permanently later.
          </p>
        )}
      </Confirm>
    </>
  );
}
