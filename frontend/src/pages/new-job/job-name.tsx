import { TextInput } from "@mantine/core";
import { setHead } from "../../composer/document-edits";
import type { Located } from "../../composer/document-text";
import { readOutline } from "../../composer/outline";
import { problemsAt } from "../../composer/problem-list";
import classes from "./new-job.module.css";

interface JobNameProps {
  text: string;
  problems: readonly Located[];
  onChange: (text: string) => void;
}

/** The name of a job that is drawn; the other views have it in their own form or text. */
export function JobName({ text, problems, onChange }: JobNameProps) {
  const reading = readOutline(text);
  if ("unsupported" in reading) return null;
  const found = problems.map(({ problem }) => problem);
  return (
    <label className={classes["jobName"]}>
      <span>Job name</span>
      <TextInput
        value={reading.outline.name}
        error={problemsAt(found, ["name"])}
        onChange={(event) => {
          onChange(setHead(text, "name", event.currentTarget.value));
        }}
      />
    </label>
  );
}
