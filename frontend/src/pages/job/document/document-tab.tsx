import { Button } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useVersions } from "../../../api/documents";
import type { Job } from "../../../api/types";
import { useMay } from "../../../api/workspace";
import { useAddress } from "../../../ui/address";
import { Icon } from "../../../ui/icons";
import { Loaded } from "../../../ui/loaded";
import { Panel } from "../../../ui/page";
import { Waiting } from "../../../ui/states";
import { RawCopy } from "../../../ui/raw-copy";
import classes from "../changes.module.css";

const EditVersion = lazy(() => import("./edit-version"));
const Meaning = lazy(() => import("./meaning"));

/** The newest version's text, what it means, and its editing. */
export function DocumentTab({ job }: { job: Job }) {
  const versions = useVersions(job.id);
  const [edit, setEdit] = useAddress("edit", "");
  const mayEdit = useMay("editor");
  return (
    <Loaded query={versions} what="the document">
      {({ results }) => {
        const newest = results.find(({ number }) => number === job.version) ?? results[0];
        const text = newest?.document_text ?? "";
        if (edit === "1" && mayEdit) {
          return (
            <Suspense fallback={<Waiting title="Opening the editor" />}>
              <EditVersion job={job} original={text} onDone={() => { setEdit(null); }} />
            </Suspense>
          );
        }
        const button = <Button variant="default" onClick={() => { setEdit("1"); }} leftSection={<Icon name="edit" size={14} />}>Edit</Button>;
        return (
          <div className={classes["columns"]}>
            <Panel title={`Version ${String(job.version)}`} aside={<span style={{ display: "flex", gap: 8 }}><RawCopy text={text} />{mayEdit && button}</span>}>
              <pre className={classes["text"]} style={{ marginTop: 0 }} tabIndex={0} aria-label="Job document">{text}</pre>
            </Panel>
            <Suspense fallback={<Waiting title="Looking at what it means" />}><Meaning text={text} /></Suspense>
          </div>
        );
      }}
    </Loaded>
  );
}
