import { describe, expect, it } from "vitest";
import { bootCause } from "../../lambdas/machine/boot-cause.ts";
import { ago, NOW } from "../health/health-facts.ts";

const booted = Date.parse(NOW);

const eventOf = ([id, at, text = "asked"]: readonly [number, string, string?]) => ({ id, at, text });

/** The event 1074 as Windows writes it, in English or any other language. */
const asked = (process: string, code: string): string =>
  `The process ${process} (WIN) has initiated the restart of computer WIN on behalf of user NT AUTHORITY\\SYSTEM for the following reason: … Reason Code: ${code} Shutdown Type: restart Comment: `;

describe("the cause of a boot", () => {
  it("is the request that came before", () => {
    expect(bootCause([eventOf([1074, ago(1)])], booted)).toEqual({ kind: "asked", text: "asked" });
  });

  it("is an unclean end, which is written after the start", () => {
    expect(bootCause([eventOf([6008, ago(-0.5)]), eventOf([1074, ago(20)])], booted)).toEqual({ kind: "unclean" });
    expect(bootCause([eventOf([41, ago(-0.5)])], booted)).toEqual({ kind: "unclean" });
  });

  it("is not told where the log tells of other boots alone", () => {
    expect(bootCause([eventOf([1074, ago(600)])], booted)).toEqual({ kind: "untold" });
    expect(bootCause([eventOf([6008, ago(600)])], booted)).toEqual({ kind: "untold" });
  });

  it.for([
    ["C:\\Windows\\uus\\AMD64\\MoUsoCoreWorker.exe", "0x80020010", "windows-update"],
    ["C:\\Windows\\servicing\\TrustedInstaller.exe", "0x80020003", "windows-update"],
    ["C:\\Windows\\system32\\svchost.exe", "0x80020010", "windows-update"],
    ["C:\\Windows\\system32\\svchost.exe", "0x80020012", "windows-update"],
    ["C:\\Windows\\system32\\svchost.exe", "0x80020003", "asked"],
    ["C:\\Windows\\system32\\shutdown.exe", "0x800000ff", "asked"],
    ["C:\\Windows\\system32\\winlogon.exe", "0x500ff", "asked"],
    ["C:\\Windows\\Explorer.EXE", "0x80040010", "asked"],
  ] as const)("of %s with the reason code %s is %s", ([process, code, kind]) => {
    expect(bootCause([eventOf([1074, ago(1), asked(process, code)])], booted).kind).toBe(kind);
  });
});
