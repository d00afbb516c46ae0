import { yaml } from "@codemirror/lang-yaml";
import { SegmentedControl } from "@mantine/core";
import type { Problem } from "../../../api/types";
import { locate, type Located } from "../../../composer/document-text";
import { Editor } from "../../../composer/editor";
import { ProblemList } from "../../../composer/problem-list";
import type { DocumentHistory } from "../../../composer/use-history";
import { Panel } from "../../../ui/page";
import type { JobFields } from "./job-fields";
import { TestTable } from "./test-table";
import classes from "./tests.module.css";

const LANGUAGE = yaml();
const FACES = [
  { value: "table", label: "Table" },
  { value: "yaml", label: "YAML" },
];

interface FaceChoiceProps {
  label: string;
  face: string;
  setFace: (face: string) => void;
}

/** Chooses how a test is shown. */
export function FaceChoice({ label, face, setFace }: FaceChoiceProps) {
  return <SegmentedControl aria-label={label} data={FACES} value={face} onChange={setFace} />;
}

interface TestFacesProps {
  text: string;
  history: DocumentHistory;
  face: string;
  fields: JobFields | null;
  /** of the test document */
  problems: readonly Problem[];
  /** of its YAML */
  syntax: readonly Located[];
  /** above the problems */
  title: string;
}

/** A test as a table or as YAML, with its problems below. */
export function TestFaces({ text, history, face, fields, problems, syntax, title }: TestFacesProps) {
  return (
    <>
      {face === "table" ? (
        <TestTable text={text} setText={history.setText} fields={fields} problems={problems} />
      ) : (
        <div className={classes["text"]}>
          <Editor
            text={text}
            onChange={history.setText}
            problems={[...syntax, ...locate(text, problems)]}
            label="Test as YAML"
            language={LANGUAGE}
            history={history}
          />
        </div>
      )}
      {problems.length > 0 && (
        <Panel title={title}>
          <ProblemList problems={problems} />
        </Panel>
      )}
    </>
  );
}
