import { UnstyledButton } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { Icon } from "../icons";
import { MAIN_PAGES } from "./pages";
import { UnreadAlerts } from "./unread-alerts";
import classes from "./shell.module.css";

const WITH_STREAMS = ["/topics", "/schemas", "/new-stream", "/new-schema"];

function isAt(location: string, href: string): boolean {
  if (href === "/streams" && WITH_STREAMS.some((one) => location.startsWith(one))) return true;
  return href === "/"
    ? location === "/" || location === ""
    : location === href || location.startsWith(`${href}/`);
}

export function SideNav({ onSearch }: { onSearch: () => void }) {
  const [location] = useLocation();
  return (
    <nav className={classes["nav"]} aria-label="Main">
      <UnstyledButton className={classes["searchButton"]} onClick={onSearch}>
        <Icon name="search" /> Search <kbd aria-label="key: slash">/</kbd>
      </UnstyledButton>
      {MAIN_PAGES.map(({ href, icon, name }) => (
        <Link key={href} href={href} aria-current={isAt(location, href) ? "page" : undefined}>
          <Icon name={icon} /> {name}
          {href === "/alerts" && <UnreadAlerts />}
        </Link>
      ))}
    </nav>
  );
}
