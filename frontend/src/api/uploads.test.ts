import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetUploads, Upload, uploadTo, type Produced, type UploadCalls } from "./uploads";

const FILE = { name: "records.jsonl", lines: [1, 3, 4].map((number) => ({ number, text: "{}" })) };
const DONE: Produced = { written: 3, of: 3, last: null, missing: [], unsure: [] };

let page: EventTarget;
beforeEach(() => {
  page = new EventTarget();
  vi.stubGlobal("window", page);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function isAskedBeforeClosing(): boolean {
  return !page.dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

function calls(part: Partial<UploadCalls> = {}): UploadCalls {
  return {
    check: () => Promise.resolve([]),
    write: (_, onProgress) => {
      onProgress(DONE);
      return Promise.resolve();
    },
    ...part,
  };
}

it("writes what was checked with nobody looking, and is found again where it was left", async () => {
  let answer: (invalid: []) => void = () => undefined;
  const checked = new Promise<[]>((resolve) => {
    answer = resolve;
  });
  const upload = uploadTo("demo", "ticks");
  const whole = upload.begin(FILE, calls({ check: () => checked }));
  expect(upload.getState().phase).toBe("checking");
  expect(isAskedBeforeClosing()).toBe(true);
  answer([]);
  await whole;
  expect(uploadTo("demo", "ticks").getState()).toMatchObject({
    phase: null,
    file: null,
    done: { written: 3 },
  });
  expect(isAskedBeforeClosing()).toBe(false);
  forgetUploads();
  expect(uploadTo("demo", "ticks").getState().done).toBeNull();
});

it("writes nothing while a line is invalid, nor where the check fails", async () => {
  const write = vi.fn(calls().write);
  const upload = new Upload();
  await upload.begin(FILE, calls({ check: () => Promise.resolve([{ line: 3, message: "?" }]), write }));
  expect(upload.getState()).toMatchObject({ phase: null, file: FILE, invalid: [{ line: 3 }] });
  const error = new Error("unreachable");
  await upload.begin(FILE, calls({ check: () => Promise.reject(error), write }));
  expect(upload.getState()).toMatchObject({ phase: null, checkError: error, invalid: [] });
  expect(write).not.toHaveBeenCalled();
});

it("keeps lines that were not written, and asks before they are lost with the page", async () => {
  const failing = calls({
    write: (_, onProgress) => {
      onProgress({ ...DONE, written: 1, missing: [2], unsure: [1] });
      return Promise.reject(new Error("timed out"));
    },
  });
  const upload = new Upload();
  await upload.begin(FILE, failing);
  expect(upload.getState()).toMatchObject({ phase: null, sent: FILE.lines, done: { missing: [2] } });
  expect(isAskedBeforeClosing()).toBe(true);
  const [unsure, missing] = [FILE.lines.slice(1, 2), FILE.lines.slice(2)];
  await upload.write(missing, unsure, calls());
  expect(upload.getState()).toMatchObject({ writeError: null, earlier: unsure, sent: [] });
  expect(isAskedBeforeClosing()).toBe(false);
});
