import { Select } from "@mantine/core";
import { useJob } from "../../../api/jobs";
import { readOutline } from "../../../composer/outline";

/** The whole job, or one of its outputs; nothing to choose for a job with one. */
export function OutputSelect({
  job,
  value,
  onChange,
}: {
  job: string;
  value: string;
  onChange: (output: string) => void;
}) {
  const found = useJob(job).data;
  const read = found && readOutline(found.document_text);
  const names = read && "outline" in read ? read.outline.outputs.map(({ name }) => name) : [];
  if (names.length < 2) return null;
  return (
    <Select
      label="Of"
      allowDeselect={false}
      data={[
        { value: "", label: "Whole job" },
        ...names.map((name) => ({ value: name, label: `Output ${name}` })),
      ]}
      value={value}
      onChange={(output) => {
        onChange(output ?? "");
      }}
    />
  );
}
