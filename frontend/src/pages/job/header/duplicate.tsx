import { Button } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Job } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { ReplaceDraft } from "../../../drafts/replace-draft";
import { Icon } from "../../../ui/icons";
import { duplicateAsDraft, hasNewJobDraft } from "./duplicate-draft";

/** Opens the newest version of a job as the draft of a new one; asks where another draft would be lost. */
export function DuplicateJob({ job }: { job: Job }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const duplicate = () => {
    navigate(duplicateAsDraft(window.localStorage, slug, job));
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="copy" size={14} />}
        onClick={() => {
          if (hasNewJobDraft(window.localStorage, slug)) setAsking(true);
          else duplicate();
        }}
      >
        Duplicate
      </Button>
      <ReplaceDraft
        opened={asking}
        of={job.name}
        onConfirm={duplicate}
        onClose={() => {
          setAsking(false);
        }}
      />
    </>
  );
}
