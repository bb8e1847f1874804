import type { Progress } from "./download.ts";

/** Output for progress. */
export interface Screen {
  readonly write: (text: string) => void;
  /** Terminals get bars that move; a log gets a line for each finished download. */
  readonly isTerminal: boolean;
  readonly now: () => number;
}

/** Shows downloads. */
export interface ProgressDisplay {
  of(name: string): Progress;
  /** Ends the display, so that other text can follow. */
  end(): void;
}

const REDRAW_MS = 100;
const WIDTH = 24;
const MIB = 1024 * 1024;

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

/** Formats one download: "[=====>      ] 12.1 of 60.0 MiB kubelet.exe". */
export function bar(name: string, bytes: number, size: number | null): string {
  const done = size ? Math.min(WIDTH, Math.floor((bytes / size) * WIDTH)) : 0;
  const amount = size === null ? mib(bytes) : `${(bytes / MIB).toFixed(1)} of ${mib(size)}`;
  return `[${"=".repeat(done).padEnd(WIDTH)}] ${amount.padStart(20)} ${name}`;
}

interface Download {
  bytes: number;
  size: number | null;
  isPrinted: boolean;
}

/** Builds the display of downloads. */
export function progressDisplay(screen: Screen): ProgressDisplay {
  const downloads = new Map<string, Download>();
  let [lines, drawnAt] = [0, 0];
  const draw = (): void => {
    const up = lines > 0 ? `\u001b[${lines}A` : "";
    const texts = [...downloads].map(([name, { bytes, size }]) => `\u001b[2K${bar(name, bytes, size)}\n`);
    screen.write(up + texts.join(""));
    [lines, drawnAt] = [texts.length, screen.now()];
  };
  const print = (name: string, download: Download): void => {
    if (download.isPrinted) return;
    download.isPrinted = true;
    screen.write(`${name}: ${mib(download.bytes)}\n`);
  };
  return {
    of: (name) => (bytes, size) => {
      const isPrinted = downloads.get(name)?.isPrinted ?? false;
      const download: Download = { bytes, size, isPrinted: isPrinted && bytes === size };
      downloads.set(name, download);
      if (screen.isTerminal && screen.now() - drawnAt >= REDRAW_MS) draw();
      if (!screen.isTerminal && bytes === size) print(name, download);
    },
    end: () => {
      if (screen.isTerminal) draw();
      else for (const [name, download] of downloads) print(name, download);
      downloads.clear();
      lines = 0;
    },
  };
}
