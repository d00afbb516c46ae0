import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Icon } from "./icons";

export function CopyButton({ text }: { text: string }) {
  const { copied, copy, error } = useClipboard({ timeout: 1_000 });
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          copy(text);
        }}
        leftSection={<Icon name={copied ? "check" : "copy"} size={14} />}
      >
        {copied ? "Copied" : "Copy"}
      </Button>
      {error && (
        <span role="alert" className="soft">
          This browser doesn&apos;t let Weir copy here. Select the text and copy it.
        </span>
      )}
    </>
  );
}
