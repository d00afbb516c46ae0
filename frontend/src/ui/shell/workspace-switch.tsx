import { Menu, UnstyledButton } from "@mantine/core";
import type { Session } from "../../api/types";
import { useWorkspace } from "../../api/workspace-context";
import { Icon } from "../icons";
import { Logo } from "../logo";
import classes from "./shell.module.css";

export function WorkspaceSwitch({ session }: { session: Session }) {
  const current = useWorkspace();
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <UnstyledButton
          className={classes["switch"]}
          aria-label={`Workspace ${current.name}: switch workspace`}
        >
          <Logo className={classes["logo"]} />
          <span className={classes["switchText"]}>
            <b>Weir</b>
            <span className="clip">{current.name}</span>
          </span>
          <Icon name="down" size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {session.workspaces.map(({ slug, name, role }) => (
          <Menu.Item
            key={slug}
            component="a"
            href={`/w/${slug}`}
            rightSection={<span className="soft">{role}</span>}
            leftSection={
              slug === current.slug ? <Icon name="check" size={14} /> : <span style={{ width: 14 }} />
            }
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
