import type { Problem } from "../../../api/types";
import type { JobFields } from "./job-fields";

/** What every part of the table of a test has. */
export interface EditProps {
  text: string;
  setText: (text: string) => void;
  fields: JobFields | null;
  problems: readonly Problem[];
}
