import { Button } from "@mantine/core";
import { useState } from "react";
import { everyLine } from "../../../api/logs";
import type { LogFilter } from "../../../api/query-keys";
import type { Job, LogLine, LogPage } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { CopyButton } from "../../../ui/copy-button";
import { Icon } from "../../../ui/icons";
import { fileName, logText } from "./log-lines";

interface LogActionsProps {
  job: Job;
  filter: LogFilter;
  page: LogPage | undefined;
  /** as shown */
  lines: readonly LogLine[];
}

/** Copies the lines that are shown, or saves all that the filter lets through. */
export function LogActions({ job, filter, page, lines }: LogActionsProps) {
  const { slug } = useWorkspace();
  const [state, setState] = useState<"idle" | "reading" | "failed">("idle");
  if (!lines.length) return null;
  const generation = page?.runs.find(({ id }) => id === page.run)?.generation;
  const download = async () => {
    setState("reading");
    try {
      const found = await everyLine(slug, job.id, filter);
      save(logText(found.reverse()), fileName(job.name, generation));
      setState("idle");
    } catch {
      setState("failed");
    }
  };
  return (
    <>
      <CopyButton text={logText(lines)} />
      <Button
        variant="default"
        loading={state === "reading"}
        leftSection={<Icon name="download" size={14} />}
        onClick={() => void download()}
      >
        Download
      </Button>
      <span role="status" className="soft">
        {state === "failed" && "Couldn't load all lines. Try again."}
      </span>
    </>
  );
}

function save(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read it after the click.
  window.setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 60_000);
}
