import { exportAddress } from "../../../api/jobs";
import { useWorkspace } from "../../../api/workspace-context";
import { ExportMenu } from "../../../ui/export-menu";

/** All stored rows of the generation, as a file. */
export function Export({ jobId }: { jobId: string }) {
  const { slug } = useWorkspace();
  return <ExportMenu address={(format) => exportAddress(slug, jobId, format)} />;
}
