import type { ReactNode } from "react";
import { placeName } from "../places";
import classes from "../composer.module.css";

interface PlaceProps { path: readonly string[]; children: ReactNode }

/** Marks what stands in it as the field of a place in the document, so that a problem leads there. */
export function Place({ path, children }: PlaceProps) {
  return <div className={classes["spot"]} data-place={placeName(path)}>{children}</div>;
}
