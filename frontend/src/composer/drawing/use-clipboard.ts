import { useEffect, useRef, type RefObject } from "react";

interface Clipboard {
  /** YAML of what is selected; empty if nothing is */
  copy: () => string;
  /** whether the text could be pasted */
  paste: (text: string) => boolean;
  /** removes what was cut */
  remove: () => void;
}

/** Copy, cut and paste by the browser's events while the focus is in the drawing: no permission is needed. */
export function useClipboard(box: RefObject<HTMLElement | null>, clipboard: Clipboard): void {
  const newest = useRef(clipboard);
  useEffect(() => {
    newest.current = clipboard;
  });
  useEffect(() => {
    const isHere = () => box.current?.contains(document.activeElement) ?? false;
    const onCopy = (event: ClipboardEvent) => {
      const text = isHere() ? newest.current.copy() : "";
      if (!text || !event.clipboardData) return;
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
      if (event.type === "cut") newest.current.remove();
    };
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (isHere() && newest.current.paste(text)) event.preventDefault();
    };
    document.addEventListener("copy", onCopy);
    document.addEventListener("cut", onCopy);
    document.addEventListener("paste", onPaste);
    return () => {
      document.removeEventListener("copy", onCopy);
      document.removeEventListener("cut", onCopy);
      document.removeEventListener("paste", onPaste);
    };
  }, [box]);
}
