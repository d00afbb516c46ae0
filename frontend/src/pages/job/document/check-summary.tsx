import { CheckPanel } from "../../../composer/check-panel";
import { useDocument } from "../../../composer/use-document";
import { Panel } from "../../../ui/page";
import { LoadError } from "../../../ui/placeholders";

/** What a check says of a document that is not being edited. */
export default function CheckSummary({ text }: { text: string }) {
  const { problems, checked, failed } = useDocument(text);
  if (failed && !checked) return <Panel><LoadError title="The document could not be checked" error={failed} still="What runs is not touched by it." /></Panel>;
  return <CheckPanel text={text} problems={problems} checked={checked} steps />;
}
