import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import { useScript } from "../api/documents";
import { Icon } from "../ui/icons";
import { Panel } from "../ui/page";
import { CopyButton } from "../ui/copy-button";
import { LoadError, Loading } from "../ui/placeholders";
import { Badge } from "../ui/status";
import classes from "./composer.module.css";

interface ScriptProps {
  text: string;
  name: string;
}

/** Exports the job as a standalone PySpark script: view, copy, download. */
export function Script({ text, name }: ScriptProps) {
  const [open, setOpen] = useState(false);
  return (
    <Panel title="PySpark export">
      <p className="soft">Runs with plain spark-submit, without Weir.</p>
      <Button
        variant="default"
        style={{ marginTop: 8 }}
        onClick={() => {
          setOpen(true);
        }}
      >
        Show script
      </Button>
      <Modal
        opened={open}
        onClose={() => {
          setOpen(false);
        }}
        title={`PySpark script of ${name}`}
        size="xl"
      >
        {open && <Shown text={text} name={name} />}
      </Modal>
    </Panel>
  );
}

function Shown({ text, name }: ScriptProps) {
  const script = useScript(text, true);
  if (script.error)
    return (
      <LoadError
        title="Couldn't generate the script"
        error={script.error}
        onRetry={() => {
          void script.refetch();
        }}
      />
    );
  if (!script.data) return <Loading title="Generating the script…" />;
  const { script: code, refusals } = script.data;
  if (!code) {
    return (
      <>
        <p>
          <Badge tone="warn" plain>
            Can't export this job
          </Badge>
        </p>
        <ul className={classes["reasons"]}>
          {refusals.map((why) => (
            <li key={why}>{why}</li>
          ))}
        </ul>
      </>
    );
  }
  return (
    <>
      <div className={classes["scriptActions"]}>
        <CopyButton text={code} />
        <Button
          variant="default"
          component="a"
          href={`data:text/x-python;charset=utf-8,${encodeURIComponent(code)}`}
          download={`${fileName(name)}.py`}
          leftSection={<Icon name="download" size={14} />}
        >
          Download
        </Button>
      </div>
      <pre className={classes["script"]} tabIndex={0} aria-label="PySpark script">
        {code}
      </pre>
    </>
  );
}

function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+/, "") || "job";
}
