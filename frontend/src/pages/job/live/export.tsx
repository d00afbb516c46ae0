import { Button, Menu } from "@mantine/core";
import { exportAddress } from "../../../api/jobs";
import { useWorkspace } from "../../../api/workspace-context";
import { Icon } from "../../../ui/icons";

/** All stored rows of the generation, as a file. */
export function Export({ jobId }: { jobId: string }) {
  const { slug } = useWorkspace();
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={exportAddress(slug, jobId, "csv")} download>
          CSV (for spreadsheets)
        </Menu.Item>
        <Menu.Item component="a" href={exportAddress(slug, jobId, "jsonl")} download>
          JSON Lines (exact values)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
