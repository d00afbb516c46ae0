/** Text of files that a person selects. No React. */

/**
 * The text of a file without its byte order mark; null where it isn't UTF-8: with replacement characters the
 * text would be another one.
 */
export async function utf8Text(file: Blob): Promise<string | null> {
  const content = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
