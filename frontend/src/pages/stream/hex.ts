/** Raw bytes as people read them. No React. */

const WIDTH = 16;
const MAX_BYTES = 64 * 1024;

/** Lines of offset, 16 bytes in hexadecimal and the same as ASCII; at most 64 KiB of them. */
export function hexLines(base64: string): string {
  const bytes = atob(base64);
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, MAX_BYTES); at += WIDTH) {
    const part = Array.from(bytes.slice(at, at + WIDTH), (sign) => sign.charCodeAt(0));
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(WIDTH * 3 - 1)}  ${text}`);
  }
  if (bytes.length > MAX_BYTES)
    lines.push(`… ${String(bytes.length - MAX_BYTES)} more bytes; export the record to see them.`);
  return lines.join("\n");
}
