import type { Frame } from "./frames";
import { LiveSocket, type Transport } from "./socket";

/** A connection whose other side is the test. */
export class FakeTransport implements Transport {
  sent: Record<string, unknown>[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(text: string) {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close() {
    this.onclose?.({ code: 1000 });
  }
  receive(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

/** A socket that follows a channel. The test opens its connections, of which the last is the present one. */
export function followed(channel: string) {
  const transports: FakeTransport[] = [];
  const socket = new LiveSocket(() => {
    const transport = new FakeTransport();
    transports.push(transport);
    return transport;
  });
  const frames: Frame[] = [];
  const subscription = socket.subscribe(channel, "demo", (frame) => frames.push(frame));
  return { socket, transports, frames, subscription };
}
