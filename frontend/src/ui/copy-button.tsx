import { Button, CopyButton as Copy } from "@mantine/core";
import { Icon } from "./icons";

export function CopyButton({ text }: { text: string }) {
  return (
    <Copy value={text}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={<Icon name={copied ? "check" : "copy"} size={14} />}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
      )}
    </Copy>
  );
}
