import { TERMS } from "./terms";

/** A term in a label, with its meaning as a tooltip. @param name the key of `TERMS`; the text by default */
export function Term({ children, name = children }: { children: string; name?: string }) {
  return <span title={TERMS[name]}>{children}</span>;
}
