/**
 * Files of records on their way to a stream. They go on, and can be looked at again, when their page is left.
 * No React.
 */

export interface Produced {
  written: number;
  of: number;
  last: { partition: number; offset: number } | null;
  /** Indexes of records that were not written. */
  missing: readonly number[];
  /** Indexes of records that may have been written, which nobody confirmed. */
  unsure: readonly number[];
}

export interface Line {
  /** in the file, from 1 */
  number: number;
  text: string;
}

export interface InvalidLine {
  line: number;
  message: string;
}

export interface LoadedFile {
  name: string;
  lines: readonly Line[];
}

export interface UploadState {
  /** null before the first, and once all of it is written */
  file: LoadedFile | null;
  phase: "checking" | "writing" | null;
  /** lines that have been checked */
  checked: number;
  /** what the check found; none once something was sent */
  invalid: readonly InvalidLine[];
  checkError: unknown;
  writeError: unknown;
  /** what was sent last, and what became of it by index */
  sent: readonly Line[];
  done: Produced | null;
  /** lines of earlier attempts that may have been written: nobody may send them again unseen */
  earlier: readonly Line[];
}

/** The requests of an upload. */
export interface UploadCalls {
  check: (lines: readonly Line[], onProgress: (checked: number) => void) => Promise<readonly InvalidLine[]>;
  /** reports what became of the lines before it fails */
  write: (lines: readonly Line[], onProgress: (done: Produced) => void) => Promise<unknown>;
}

const NOTHING: UploadState = {
  file: null,
  phase: null,
  checked: 0,
  invalid: [],
  checkError: null,
  writeError: null,
  sent: [],
  done: null,
  earlier: [],
};

export class Upload {
  private state = NOTHING;
  private readonly listeners = new Set<() => void>();

  readonly getState = (): UploadState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** All lines are checked before the first is written; the user decides about invalid ones. */
  async begin(file: LoadedFile | null, calls: UploadCalls): Promise<void> {
    if (!file?.lines.length) {
      this.set({ ...NOTHING, file });
      return;
    }
    this.set({ ...NOTHING, file, phase: "checking" });
    try {
      const invalid = await calls.check(file.lines, (checked) => {
        this.change({ checked });
      });
      this.change({ phase: null, invalid });
    } catch (error) {
      this.change({ phase: null, checkError: error });
      return;
    }
    if (!this.state.invalid.length) await this.write(file.lines, [], calls);
  }

  /** @param earlier lines that may have been written before */
  async write(lines: readonly Line[], earlier: readonly Line[], calls: UploadCalls): Promise<void> {
    const begun = { writeError: null, invalid: [], sent: lines, done: null, earlier };
    this.change({ ...begun, phase: "writing" });
    try {
      await calls.write(lines, (done) => {
        this.change({ done });
      });
      this.change({ phase: null, file: null, sent: [] });
    } catch (error) {
      this.change({ phase: null, writeError: error });
    }
  }

  private change(part: Partial<UploadState>): void {
    this.set({ ...this.state, ...part });
  }

  private set(next: UploadState): void {
    const before = isOpen(this.state);
    this.state = next;
    if (isOpen(next) !== before) hold(this, !before);
    for (const listener of this.listeners) listener();
  }
}

/** Whether lines would be lost with the page. */
function isOpen({ phase, done }: UploadState): boolean {
  return phase !== null || (done !== null && done.missing.length > 0);
}

const open = new Set<Upload>();

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** The browser asks before the page is closed or loaded again. */
function hold(upload: Upload, isHeld: boolean): void {
  if (isHeld) open.add(upload);
  else open.delete(upload);
  if (open.size) window.addEventListener("beforeunload", ask);
  else window.removeEventListener("beforeunload", ask);
}

let uploads = new Map<string, Upload>();

/** The upload to a stream, from its first file on. */
export function uploadTo(workspace: string, stream: string): Upload {
  const key = `${workspace}/${stream}`;
  const found = uploads.get(key) ?? new Upload();
  uploads.set(key, found);
  return found;
}

/** The next user of this page sees nothing of them. */
export function forgetUploads(): void {
  uploads = new Map();
}
