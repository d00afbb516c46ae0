import { UnstyledButton } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { Icon, type IconName } from "../icons";
import { UnreadAlerts } from "./unread-alerts";
import classes from "./shell.module.css";

const PAGES: readonly { href: string; icon: IconName; label: string }[] = [
  { href: "/", icon: "overview", label: "Overview" },
  { href: "/jobs", icon: "jobs", label: "Jobs" },
  { href: "/streams", icon: "streams", label: "Streams" },
  { href: "/map", icon: "map", label: "Map" },
  { href: "/consumers", icon: "consumers", label: "Consumers" },
  { href: "/dashboards", icon: "dashboards", label: "Dashboards" },
  { href: "/alerts", icon: "bell", label: "Alerts" },
  { href: "/admin", icon: "admin", label: "Admin" },
];

function isAt(location: string, href: string): boolean {
  if (href === "/streams" && (location.startsWith("/topics") || location.startsWith("/schemas"))) return true;
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
      {PAGES.map(({ href, icon, label }) => (
        <Link key={href} href={href} aria-current={isAt(location, href) ? "page" : undefined}>
          <Icon name={icon} /> {label}
          {href === "/alerts" && <UnreadAlerts />}
        </Link>
      ))}
    </nav>
  );
}
