/** The page of a group; its name may contain anything. */
export function groupPath(cluster: string, name: string): string {
  return `/consumers/${cluster}/${encodeURIComponent(name)}`;
}
