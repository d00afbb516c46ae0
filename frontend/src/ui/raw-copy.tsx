import { Button, CopyButton } from "@mantine/core";
import { Icon } from "./icons";

export function RawCopy({ text }: { text: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => <Button variant="default" onClick={copy} leftSection={<Icon name={copied ? "check" : "copy"} size={14} />}>{copied ? "Copied" : "Copy"}</Button>}
    </CopyButton>
  );
}
