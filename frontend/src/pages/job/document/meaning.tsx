import { Findings } from "../../../composer/findings";
import { useDocument } from "../../../composer/use-document";
import { Panel } from "../../../ui/page";
import { Failing } from "../../../ui/states";

/** What a check says of a document that is not being edited. */
export default function Meaning({ text }: { text: string }) {
  const { problems, checked, failed } = useDocument(text);
  if (failed && !checked) return <Panel><Failing title="The document could not be checked" error={failed} still="What runs is not touched by it." /></Panel>;
  return <Findings text={text} problems={problems} checked={checked} steps />;
}
