import { Menu, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useSignOut } from "../../api/session";
import type { Session } from "../../api/types";
import { zoneId } from "../format/times";
import { Icon } from "../icons";
import { RequestError } from "../request-error";
import classes from "./shell.module.css";

export function UserMenu({ session }: { session: Session }) {
  const signOut = useSignOut();
  const { setColorScheme, colorScheme } = useMantineColorScheme();
  const shown = useComputedColorScheme("light");
  const name = session.user.display_name || session.user.username;
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <UnstyledButton className={classes["person"]} aria-label={`${name}: theme, sign out`}>
          <Icon name="person" /> <span className="clip">{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Times in {zoneId()}</Menu.Label>
        <Menu.Item
          leftSection={<Icon name={shown === "dark" ? "sun" : "moon"} size={14} />}
          onClick={() => {
            setColorScheme(shown === "dark" ? "light" : "dark");
          }}
        >
          {shown === "dark" ? "Light theme" : "Dark theme"}
        </Menu.Item>
        {colorScheme !== "auto" && (
          <Menu.Item
            onClick={() => {
              setColorScheme("auto");
            }}
          >
            Use system theme
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          closeMenuOnClick={false}
          onClick={() => {
            signOut.mutate(undefined, {
              onSuccess: () => {
                window.location.assign("/");
              },
            });
          }}
        >
          Sign out
        </Menu.Item>
        <RequestError what="You are still signed in" error={signOut.error} />
      </Menu.Dropdown>
    </Menu>
  );
}
