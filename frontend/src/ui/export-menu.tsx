import { Button, Menu } from "@mantine/core";
import { Icon } from "./icons";

interface ExportMenuProps {
  /** what the files hold, where it is not plain from the place */
  label?: string;
  address: (format: "csv" | "jsonl") => string;
}

/** Downloads in both formats. */
export function ExportMenu({ label, address }: ExportMenuProps) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {label && <Menu.Label>{label}</Menu.Label>}
        <Menu.Item component="a" href={address("csv")} download>
          CSV (for spreadsheets)
        </Menu.Item>
        <Menu.Item component="a" href={address("jsonl")} download>
          JSON Lines (exact values)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
