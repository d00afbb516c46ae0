/** The address of a stream's page at one record. */
export function recordAddress(
  stream: string,
  { partition, offset }: { partition: number; offset: number },
): string {
  return `/streams/${stream}?from=offset&partition=${String(partition)}&offset=${String(offset)}`;
}
