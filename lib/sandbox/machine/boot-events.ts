import type { Machine } from "./machine.ts";

/**
 * Initiators of a restart. Windows Update's worker, the agent's `shutdown.exe` and a person at the console restart Windows by the same
 * call, and the event 1074 names process, account and reason.
 */
export const initiators = ["windows-update", "ssm-agent", "person", "ec2"] as const;

/** One of the initiators of a restart. */
export type Initiator = (typeof initiators)[number];

interface Asked {
  readonly process: string;
  /** Account, with the machine's own name for a local one. */
  readonly user: (computer: string) => string;
  readonly reason: string;
  readonly code: string;
  readonly comment?: string;
}

const system = (): string => "NT AUTHORITY\\SYSTEM";

/**
 * Codes by Windows' reason.h ("System Shutdown Reason Codes"): planned 0x80000000, operating system 0x00020000, service pack 0x10;
 * 0x800000ff is what shutdown.exe gives without a reason, and 0x500ff what winlogon gives for the power button. EC2's reboot reaches
 * Windows as the power button of the virtual machine (assumed: AWS does not say what Windows logs).
 */
const asked: Readonly<Record<Initiator, Asked>> = {
  "windows-update": {
    process: "C:\\Windows\\uus\\AMD64\\MoUsoCoreWorker.exe",
    user: system,
    reason: "Operating System: Service pack (Planned)",
    code: "0x80020010",
  },
  "ssm-agent": {
    process: "C:\\Windows\\system32\\shutdown.exe",
    user: system,
    reason: "No title for this reason could be found",
    code: "0x800000ff",
    comment: "Restart initiated by SSM agent",
  },
  person: {
    process: "C:\\Windows\\system32\\shutdown.exe",
    user: (computer) => `${computer}\\Administrator`,
    reason: "No title for this reason could be found",
    code: "0x800000ff",
  },
  ec2: {
    process: "C:\\Windows\\system32\\winlogon.exe",
    user: system,
    reason: "No title for this reason could be found",
    code: "0x500ff",
  },
};

/** Writes the event of a restart that was asked for (Windows' log System, source User32, id 1074). */
export function logRestart(machine: Machine, by: Initiator): void {
  const { process, user, reason, code, comment = "" } = asked[by];
  const { computerName } = machine.state;
  machine.log(
    "User32",
    `1074 The process ${process} (${computerName}) has initiated the restart of computer ${computerName} on behalf of user ${user(computerName)} for the following reason: ${reason} Reason Code: ${code} Shutdown Type: restart Comment: ${comment}`,
  );
}

/**
 * Writes what Windows writes at the start after a loss of power, a reset or a crash: 41 by Kernel-Power and 6008 by EventLog
 * (Microsoft, "Windows Kernel event ID 41 error").
 */
export function logUncleanStart(machine: Machine): void {
  machine.log(
    "Microsoft-Windows-Kernel-Power",
    "41 The system has rebooted without cleanly shutting down first. This error could be caused if the system stopped responding, crashed, or lost power unexpectedly.",
  );
  machine.log("EventLog", "6008 The previous system shutdown was unexpected.");
}
