import { Button, FileButton } from "@mantine/core";
import { useRef, useState } from "react";
import { useUpload } from "../../../api/records";
import type { Stream } from "../../../api/types";
import type { InvalidLine, Line, LoadedFile } from "../../../api/uploads";
import { count, counted } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Badge } from "../../../ui/status";
import { utf8Text } from "../../../ui/text-file";
import { linesText, validLines, linesOf } from "./record-lines";
import { ProduceResult } from "./produce-result";
import classes from "../stream.module.css";

const SHOWN = 20;

/**
 * Upload of a file of records. All lines are checked before the first is written; the user decides about
 * invalid ones.
 */
export function FileUpload({ stream }: { stream: Stream }) {
  const { state, begin, write } = useUpload(stream);
  const { file, phase, checked, invalid, checkError, writeError, sent, done, earlier } = state;
  /** name of the file that was selected last, where it isn't UTF-8 */
  const [unreadable, setUnreadable] = useState<string | null>(null);
  // A browser tells nothing of a file that is chosen twice, as one that was edited.
  const reset = useRef<() => void>(null);
  const linesAt = (indexes: readonly number[]) =>
    indexes.map((index) => sent[index]).filter((line) => line !== undefined);
  const load = async (chosen: File | null) => {
    reset.current?.();
    if (!chosen) return;
    const text = await utf8Text(chosen);
    setUnreadable(text === null ? chosen.name : null);
    begin(text === null ? null : { name: chosen.name, lines: linesOf(text) });
  };
  const unsure = [...earlier, ...linesAt(done?.unsure ?? [])].toSorted((x, y) => x.number - y.number);
  return (
    <div className={classes["produce"]}>
      <p className="soft">
        One record per line (JSONL): a value, an object with <code>value</code>, <code>key</code>,{" "}
        <code>headers</code>, <code>partition</code> (alternatively <code>value_base64</code>,{" "}
        <code>key_base64</code>, <code>key_json</code>), or an exported line. Nothing is written until all
        lines are valid.
      </p>
      <div className={classes["bar"]}>
        <FileButton
          resetRef={reset}
          onChange={(chosen) => void load(chosen)}
          accept=".jsonl,.ndjson,.json,.txt,.csv"
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              loading={phase !== null}
              leftSection={<Icon name="up" size={14} />}
            >
              Select file
            </Button>
          )}
        </FileButton>
        {phase === "checking" && file && (
          <span role="status">
            {count(checked)} of {counted(file.lines.length, "line")} checked
          </span>
        )}
        {phase === "writing" && done && (
          <span role="status">
            {count(done.written)} of {counted(done.of, "record")} written
          </span>
        )}
      </div>
      {unreadable !== null && (
        <p role="alert">
          <Badge tone="bad" plain>
            Not UTF-8 text
          </Badge>{" "}
          Save {unreadable} as UTF-8 and select it again. Nothing was written.
        </p>
      )}
      {file?.lines.length === 0 && (
        <p role="alert">
          <Badge tone="bad" plain>
            Empty file
          </Badge>{" "}
          {file.name} has no records.
        </p>
      )}
      {checkError ? <ProduceResult error={checkError} done={null} /> : null}
      {file && invalid.length > 0 && (
        <InvalidLinesPanel
          file={file}
          invalid={invalid}
          onWrite={() => {
            write(validLines(file.lines, invalid), []);
          }}
        />
      )}
      <ProduceResult error={writeError} done={phase === "writing" ? null : done}>
        {done && (
          <Unwritten
            missing={linesAt(done.missing)}
            onWrite={() => {
              write(linesAt(done.missing), unsure);
            }}
          />
        )}
      </ProduceResult>
      {phase === null && unsure.length > 0 && (
        <p role="alert">
          {linesText(unsure.map(({ number }) => number))} may have been written. Look for{" "}
          {unsure.length === 1 ? "it" : "them"} under Records before you send{" "}
          {unsure.length === 1 ? "it" : "them"} again.
        </p>
      )}
    </div>
  );
}

/** Lines that were certainly not written; only these can be sent again as they are. */
function Unwritten({ missing, onWrite }: { missing: readonly Line[]; onWrite: () => void }) {
  if (!missing.length) return null;
  return (
    <>
      <p>
        {linesText(missing.map(({ number }) => number))} {missing.length === 1 ? "wasn't" : "weren't"}{" "}
        written.
      </p>
      <Button variant="default" onClick={onWrite}>
        Produce {missing.length === 1 ? "this line" : `these ${count(missing.length)} lines`}
      </Button>
    </>
  );
}

function InvalidLinesPanel({
  file,
  invalid,
  onWrite,
}: {
  file: LoadedFile;
  invalid: readonly InvalidLine[];
  onWrite: () => void;
}) {
  const rest = file.lines.length - invalid.length;
  return (
    <div role="alert">
      <p>
        <Badge tone="bad" plain>
          {counted(invalid.length, "line")} of {count(file.lines.length)}{" "}
          {invalid.length === 1 ? "is" : "are"} invalid
        </Badge>{" "}
        Nothing was written.
      </p>
      <ul>
        {invalid.slice(0, SHOWN).map(({ line, message }) => (
          <li key={line}>
            Line {count(line)}: {message}
          </li>
        ))}
      </ul>
      {invalid.length > SHOWN && <p className="soft">and {counted(invalid.length - SHOWN, "other line")}.</p>}
      {rest > 0 ? (
        <Button variant="default" onClick={onWrite}>
          Produce {counted(rest, "valid record")}
        </Button>
      ) : (
        <p className="soft">No valid records. Fix the file and select it again.</p>
      )}
    </div>
  );
}
