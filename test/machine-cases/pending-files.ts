import type { MachineCase } from "./case.ts";
import { BOOT_KEY, ENVIRONMENT_KEY, SESSION_KEY } from "./windows.ts";

const asks = { script: "observe", exitCode: 0 } as const;
const request = () => ({ questions: { reboot: true }, whole: true });

/** A machine with these entries for its next boot. */
const withRenames = (...names: readonly string[]): MachineCase["before"] => ({
  registry: { [BOOT_KEY]: { BootId: 7 }, [ENVIRONMENT_KEY]: {}, [SESSION_KEY]: { PendingFileRenameOperations: names } },
});

const noReason: readonly (readonly [what: string, names: readonly string[]])[] = [
  ["a deletion of a temporary file", ["\\??\\C:\\Windows\\Temp\\nsi1.tmp", ""]],
  ["a deletion of a temporary file of the system", ["\\??\\C:\\Windows\\SystemTemp\\chrome_1.tmp", ""]],
  ["a deletion of a program's own file", ["\\??\\C:\\Program Files (x86)\\Microsoft\\EdgeUpdate\\1.3.1\\x.dll", ""]],
  ["a deletion without its empty name at the end", ["\\??\\C:\\Windows\\Temp\\nsi1.tmp"]],
];

const reason: readonly (readonly [what: string, names: readonly string[], file: string])[] = [
  [
    "a replacement, wherever it is",
    ["\\??\\C:\\Windows\\Temp\\a.tmp", "", "\\??\\C:\\Vendor\\x.new", "!\\??\\C:\\Vendor\\x.dll"],
    "C:\\Vendor\\x.new",
  ],
  ["a deletion below Windows' folder", ["\\??\\C:\\Windows\\WinSxS\\old.dll", ""], "C:\\Windows\\WinSxS\\old.dll"],
];

/** Cases of observe.ps1 about files that wait for the next boot. */
export const pendingFiles: readonly MachineCase[] = [
  ...noReason.map(([what, names]) => ({
    ...asks,
    name: `takes ${what} for no reason to reboot`,
    before: withRenames(...names),
    request,
    answers: { reboot: { reasons: [] } },
  })),
  ...reason.map(([what, names, file]) => ({
    ...asks,
    name: `tells ${what}, with the file`,
    before: withRenames(...names),
    request,
    answers: { reboot: { reasons: ["file-renames" as const], file } },
  })),
];
