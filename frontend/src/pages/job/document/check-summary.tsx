import { CheckPanel } from "../../../composer/check-panel";
import { useDocument } from "../../../composer/use-document";
import { Panel } from "../../../ui/page";
import { LoadError } from "../../../ui/placeholders";

/** What a check says of a document that is not being edited. */
export default function CheckSummary({ text }: { text: string }) {
  const { problems, checked, failed } = useDocument(text);
  if (failed && !checked)
    return (
      <Panel>
        <LoadError title="Couldn't validate the job" error={failed} still="Running jobs aren't affected." />
      </Panel>
    );
  return <CheckPanel text={text} problems={problems} checked={checked} steps />;
}
