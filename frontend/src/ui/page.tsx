import { useDocumentTitle } from "@mantine/hooks";
import { useEffect, useRef, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { isAt } from "./addresses";
import { TERMS } from "./terms";
import classes from "./page.module.css";

interface PageProps {
  title: string;
  /** what stands above the title: where this page hangs */
  parent?: { label: string; href: string };
  /** beside the title, such as a state */
  aside?: ReactNode;
  /** at the top right; one primary action at most */
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, parent, aside, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Weir`);
  return (
    <main id="main" className={classes["page"]} tabIndex={-1}>
      <header className={classes["header"]}>
        <div className={classes["heading"]}>
          {parent && (
            <Link href={parent.href} className={classes["parent"]}>
              {parent.label}
            </Link>
          )}
          <div className={classes["title"]}>
            <h1>{title}</h1>
            {aside}
          </div>
        </div>
        {actions && <div className={classes["actions"]}>{actions}</div>}
      </header>
      {children}
    </main>
  );
}

/** A box with a title; the only level of box on a page. */
export function Panel({
  title,
  aside,
  children,
  flush = false,
}: {
  title?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
  flush?: boolean;
}) {
  return (
    <section className={classes["panel"]}>
      {(title || aside) && (
        <div className={classes["panelHead"]}>
          <h2 title={typeof title === "string" ? TERMS[title] : undefined}>{title}</h2>
          {aside}
        </div>
      )}
      <div className={flush ? classes["panelFlush"] : classes["panelBody"]}>{children}</div>
    </section>
  );
}

/** Tabs that are addresses. */
export function Tabs({
  base,
  tabs,
  label,
}: {
  base: string;
  tabs: readonly { path: string; label: ReactNode }[];
  label: string;
}) {
  const [location] = useLocation();
  const bar = useRef<HTMLElement>(null);
  // On a narrow screen the bar scrolls: the tab that is open has to be seen.
  useEffect(() => {
    const open = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (bar.current && open) bar.current.scrollLeft = open.offsetLeft - bar.current.offsetLeft - 24;
  }, [location]);
  return (
    <nav ref={bar} className={classes["tabs"]} aria-label={label}>
      {tabs.map(({ path, label: text }) => {
        const href = path ? `${base}/${path}` : base;
        return (
          <Link
            key={path}
            href={href}
            title={typeof text === "string" ? TERMS[text] : undefined}
            aria-current={isAt(location, href) ? "page" : undefined}
          >
            {text}
          </Link>
        );
      })}
    </nav>
  );
}
