import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scriptText } from "../../lib/constructs/script-text.ts";
import { type Machine, metadataAnswers } from "./stand-in.ts";

const QUIET = { NO_COLOR: "1", TERM: "dumb", POWERSHELL_TELEMETRY_OPTOUT: "1" };
const RUNNER = fileURLToPath(new URL("run.ps1", import.meta.url));
const SCRIPT_LIMIT_MS = 60_000;

/** PowerShell 7, when this machine has one: CASEMENT_PWSH names it, or it is on PATH. */
export const pwsh: string | undefined = [process.env.CASEMENT_PWSH, "pwsh"].find((candidate) => {
  if (!candidate) return false;
  try {
    execFileSync(candidate, ["-NoProfile", "-Version"], { env: { ...process.env, ...QUIET }, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

/** The name of a suite that runs scripts; says why when it is skipped. */
export const suite = (name: string): string =>
  pwsh ? name : `${name} (skipped: pwsh is not on PATH and CASEMENT_PWSH names none)`;

/** How a script ended. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of output, parsed; undefined when it is no JSON. */
  readonly result: unknown;
}

/** A played machine on which scripts are run for real. */
export interface Ground {
  /** Stands for C: in what the test lays down itself. */
  readonly root: string;
  readonly path: (...parts: string[]) => string;
  readonly machine: () => Machine;
  readonly change: (change: Partial<Machine>) => void;
  readonly write: (path: string, text: string) => void;
  readonly read: (path: string) => string;
  readonly run: (script: string, given: Readonly<Record<string, unknown>>) => Promise<Ended>;
  readonly send: (script: string, request: unknown) => Promise<Ended>;
  readonly close: () => void;
}

function resultIn(stdout: string): unknown {
  try {
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  } catch {
    return undefined;
  }
}

function listening(answer: () => boolean, mac: string): Server {
  const server = createServer((request, response) => {
    if (!answer()) return void request.socket.destroy();
    response.end(request.url?.endsWith("/mac") ? mac : "token");
  });
  return server.listen(0, "127.0.0.1");
}

/**
 * Lays a machine on the disk and gives what runs scripts on it. Its metadata service answers on loopback as long as
 * the machine has a route that leads there.
 * @param mac what the metadata service calls the primary interface's address
 */
export function ground(before: Machine, mac = "02:aa:bb:cc:dd:01"): Ground {
  const root = mkdtempSync(join(tmpdir(), "casement-pwsh-"));
  const state = join(root, "machine.json");
  const path = (...parts: string[]): string => join(root, ...parts);
  const machine = (): Machine => JSON.parse(readFileSync(state, "utf8"));
  const put = (value: Machine): void => writeFileSync(state, JSON.stringify(value));
  mkdirSync(path("Casement"));
  put(before);
  const server = listening(() => metadataAnswers(machine()), mac);
  const ready = once(server, "listening");

  const environment = () => ({
    ...process.env,
    ...QUIET,
    SystemDrive: root,
    TMPDIR: root,
    // Nobody answers there: the metadata service must be asked past any proxy.
    http_proxy: "http://127.0.0.1:9",
    AWS_SSM_REGION_NAME: "us-west-2",
    CASEMENT_STANDIN_STATE: state,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });

  const run: Ground["run"] = async (script, given) => {
    await ready;
    const file = path(`${script}.ps1`);
    writeFileSync(file, scriptText(script));
    const words = [
      "-NoProfile",
      "-NonInteractive",
      "-File",
      RUNNER,
      "-Script",
      file,
      "-ArgumentsJson",
      JSON.stringify(given),
    ];
    return new Promise((resolve) => {
      execFile(pwsh ?? "pwsh", words, { env: environment(), timeout: SCRIPT_LIMIT_MS }, (error, stdout, stderr) => {
        const exitCode = error ? (typeof error.code === "number" ? error.code : -1) : 0;
        resolve({ exitCode, stdout, stderr, result: resultIn(stdout) });
      });
    });
  };

  return {
    root,
    path,
    machine,
    change: (change) => put({ ...machine(), ...change }),
    write: (where, text) => writeFileSync(where, text),
    read: (where) => readFileSync(where, "utf8"),
    run,
    send: (script, request) => run(script, { Request: Buffer.from(JSON.stringify(request)).toString("base64") }),
    close: () => {
      server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
