import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { scriptText } from "../../lib/constructs/script-text.ts";
import { type Machine, metadataAnswers } from "../machine-cases/windows.ts";
import { type Account, playedAccount } from "./account.ts";
import { pwsh, QUIET } from "./pwsh.ts";

const STAND_INS = fileURLToPath(new URL("stand-ins.ps1", import.meta.url));
const PARAMETERS = /^param\((?:.*\)|[\s\S]*?^\))$/m;
const SCRIPT_LIMIT_MS = 60_000;

/** The name of a suite that runs scripts; says why when it is skipped. */
export const suite = (name: string): string =>
  pwsh ? name : `${name} (skipped: pwsh is not on PATH and CASEMENT_PWSH names none)`;

/** Exit code and output of a script. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of output, parsed; undefined when it is not JSON. */
  readonly result: unknown;
}

/** An emulated machine on which the real scripts run. */
export interface ScriptHost {
  /** The folder that serves as C: in the test's files. */
  readonly root: string;
  readonly path: (...parts: string[]) => string;
  readonly machine: () => Machine;
  /** The AWS account that the machine reads from with its role. */
  readonly account: Account;
  readonly change: (change: Partial<Machine>) => void;
  readonly write: (path: string, text: string) => void;
  readonly read: (path: string) => string;
  readonly run: (script: string, given: Readonly<Record<string, unknown>>) => Promise<Ended>;
  readonly send: (script: string, request: unknown) => Promise<Ended>;
  /** Holds the mutex of Casement's commands until the returned function is called. */
  readonly hold: () => Promise<() => void>;
  readonly close: () => void;
}

function resultIn(stdout: string): unknown {
  try {
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  } catch {
    return undefined;
  }
}

/**
 * A script that can be run here as the agent and the Task Scheduler run it: by -File, in the global scope, where its
 * $ErrorActionPreference reaches modules too.
 * @throws Error when it has no parameters after which the stand-ins can be inserted
 */
export function withStandIns(script: string): string {
  const text = scriptText(script);
  if (!PARAMETERS.test(text)) throw new Error(`${script}.ps1 has no block of parameters`);
  return text.replace(PARAMETERS, (parameters) => `${parameters}\n\n. '${STAND_INS}'`);
}

/** Each emulated machine has its own mutexes, as each real one has. */
const withOwnMutexes = (text: string, root: string): string =>
  text.replaceAll("'Global\\", `'Global\\${basename(root)}-`);

/** Holds the mutex of Casement's commands on this machine, as a running command does, until it is released. */
async function holdMutex(root: string): Promise<() => void> {
  const words = withOwnMutexes(
    "$m = New-Object Threading.Mutex $true, 'Global\\casement'; 'held'; [Threading.Thread]::Sleep(60000)",
    root,
  );
  const holder = spawn(pwsh ?? "pwsh", ["-NoProfile", "-NonInteractive", "-Command", words], {
    env: { ...process.env, ...QUIET },
  });
  await once(holder.stdout, "data");
  return () => void holder.kill("SIGKILL");
}

/** Builds the words after -File: a switch has no value. */
const argumentsOf = (given: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(given).flatMap(([name, value]) => (value === true ? [`-${name}`] : [`-${name}`, String(value)]));

/**
 * Writes a machine to the disk and returns a runner of scripts on it. Its metadata service answers on loopback as long
 * as the machine has a route to it.
 * @param mac the primary interface's address, as the metadata service returns it
 */
export function scriptHost(before: Machine, mac = "02:aa:bb:cc:dd:01"): ScriptHost {
  const root = mkdtempSync(join(tmpdir(), "casement-pwsh-"));
  const state = join(root, "machine.json");
  const path = (...parts: string[]): string => join(root, ...parts);
  const machine = (): Machine => JSON.parse(readFileSync(state, "utf8"));
  const put = (value: Machine): void => writeFileSync(state, JSON.stringify(value));
  mkdirSync(path("Casement"));
  put(before);
  const account = playedAccount({ mac, metadataAnswers: () => metadataAnswers(machine()) });

  const environment = (addresses: Readonly<Record<string, string>>) => ({
    ...process.env,
    ...QUIET,
    SystemDrive: root,
    TMPDIR: root,
    // This proxy does not answer: calls of the metadata service, by its address, must bypass any proxy. The services
    // have names.
    http_proxy: "http://127.0.0.1:9",
    no_proxy: "localhost",
    CASEMENT_STANDIN_STATE: state,
    ...addresses,
  });

  const run: ScriptHost["run"] = async (script, given) => {
    const addresses = await account.addresses;
    const file = path(`${script}.ps1`);
    writeFileSync(file, withOwnMutexes(withStandIns(script), root));
    const words = ["-NoProfile", "-NonInteractive", "-File", file, ...argumentsOf(given)];
    return new Promise((resolve) => {
      execFile(
        pwsh ?? "pwsh",
        words,
        { env: environment(addresses), timeout: SCRIPT_LIMIT_MS },
        (error, stdout, stderr) => {
          const exitCode = error ? (typeof error.code === "number" ? error.code : -1) : 0;
          resolve({ exitCode, stdout, stderr, result: resultIn(stdout) });
        },
      );
    });
  };

  return {
    root,
    path,
    machine,
    account,
    change: (change) => put({ ...machine(), ...change }),
    write: (where, text) => writeFileSync(where, text),
    read: (where) => readFileSync(where, "utf8"),
    run,
    send: (script, request) => run(script, { Request: Buffer.from(JSON.stringify(request)).toString("base64") }),
    hold: () => holdMutex(root),
    close: () => {
      account.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
