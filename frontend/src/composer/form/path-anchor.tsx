import type { ReactNode } from "react";
import { anchorId } from "../path-focus";
import classes from "../composer.module.css";

interface PathAnchorProps {
  path: readonly string[];
  children: ReactNode;
}

/** Marks its children as the field of a path in the document, so that a problem can focus it. */
export function PathAnchor({ path, children }: PathAnchorProps) {
  return (
    <div className={classes["spot"]} data-path={anchorId(path)}>
      {children}
    </div>
  );
}
