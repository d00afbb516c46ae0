import { useCallback, useEffect, useState } from "react";
import { draftKey } from "./browser-store";

/**
 * What another tab has kept under a draft's name after this one last did: null where it took the draft away,
 * undefined where nothing was. `forget`: this one keeps its own now.
 */
export function useOtherTab(name: string | null): { kept: string | null | undefined; forget: () => void } {
  const [found, setFound] = useState<{ name: string; kept: string | null } | null>(null);
  useEffect(() => {
    if (name === null) return undefined;
    const key = draftKey(name);
    // Only other tabs' changes are events.
    const onStorage = (event: StorageEvent) => {
      if (event.key === key) setFound({ name, kept: event.newValue });
    };
    window.addEventListener("storage", onStorage);
    return () => {
      window.removeEventListener("storage", onStorage);
    };
  }, [name]);
  const forget = useCallback(() => {
    setFound(null);
  }, []);
  return { kept: found?.name === name ? found?.kept : undefined, forget };
}
