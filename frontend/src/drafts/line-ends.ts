/** Line ends of texts that others have written. No React. */

/**
 * A text with `\n` at the end of each line, as editors of the page have it: with others each line would
 * differ from its own copy, and places in the text would be others.
 */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
