import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import type { Endpoints } from "../../bin/endpoints.ts";
import type { answers } from "../../lib/sandbox/control/schema.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/sandbox.ts", import.meta.url));
/** A host on which other lanes run starts a sandbox in half a minute. */
const ENOUGH_MS = 60_000;

type Answers = { [Name in keyof typeof answers]: z.infer<(typeof answers)[Name]> };

/** The control API's answers by call. */
interface Calls {
  readonly "GET /state": Answers["State"];
  readonly "GET /messages": Answers["Messages"];
  readonly "GET /calls": Answers["Calls"];
  readonly "GET /people": Answers["People"];
  readonly "GET /faults": Answers["Faults"];
  readonly "POST /faults": Answers["FaultInjected"];
  readonly "POST /clock": Answers["Clock"];
}

/** Exit code or signal of a process that has ended, with its output. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** The sandbox as a caller outside sees it: a process, a banner, files, addresses. */
export interface Running {
  readonly folder: string;
  readonly endpoints: Endpoints;
  /** From the start of the process to the banner, in milliseconds of the host. */
  readonly readyMs: number;
  readonly ended: Promise<End>;
  /** Sends a signal and waits for the end. */
  signal(signal: NodeJS.Signals): Promise<End>;
  /** A call of the control API that must succeed. */
  control<Call extends keyof Calls>(call: Call, body?: object, query?: string): Promise<Calls[Call]>;
}

/** A directory of one's own to run in. */
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), "casement-outside-"));

const processes = new Set<ChildProcess>();
const folders = new Set<string>();

/** Ends whatever still runs and removes its directories; for afterEach. */
export function cleanUp(): void {
  for (const child of processes) child.kill("SIGKILL");
  processes.clear();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.clear();
}

/** A process that has been started, ready or not. */
export interface Started {
  readonly child: ChildProcess;
  readonly output: { out: string; err: string };
  readonly ended: Promise<End>;
}

/** Starts `npm start`'s program in a directory. */
export function launch(folder: string, flags: readonly string[]): Started {
  folders.add(folder);
  const child = spawn(process.execPath, [PROGRAM, ...flags], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  processes.add(child);
  const output = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    output.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.err += chunk;
  });
  const ended = new Promise<End>((resolve) => {
    child.on("close", (code, signal) => {
      processes.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  return { child, output, ended };
}

/** Runs the program to its end: for flags and states that it refuses. */
export async function refusal(folder: string, ...flags: string[]): Promise<End> {
  const { child, ended } = launch(folder, flags);
  const tooLong = setTimeout(() => child.kill("SIGKILL"), ENOUGH_MS);
  return ended.finally(() => clearTimeout(tooLong));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again until the answer is yes; fails loudly after `ms`. */
export async function until<T>(what: string, question: () => Promise<T | undefined>, ms = ENOUGH_MS): Promise<T> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(20)) {
    const answer = await question();
    if (answer !== undefined) return answer;
  }
  throw new Error(`${what} did not come within ${ms / 1_000} s`);
}

async function banner({ child, output }: Started): Promise<void> {
  await until("the banner", async () => {
    if (child.exitCode !== null || child.signalCode) throw new Error(`the sandbox ended: ${output.out}${output.err}`);
    return output.out.includes("Casement sandbox") ? true : undefined;
  });
}

/** Starts the sandbox on ports of the system's choice and waits for its banner. */
export async function start(folder: string, ...flags: string[]): Promise<Running> {
  const began = performance.now();
  const started = launch(folder, ["--port", "0", ...flags]);
  await banner(started);
  const readyMs = performance.now() - began;
  const endpoints: Endpoints = JSON.parse(readFileSync(join(folder, ".sandbox/endpoints.json"), "utf8"));
  return {
    folder,
    endpoints,
    readyMs,
    ended: started.ended,
    signal: (signal) => {
      started.child.kill(signal);
      return started.ended;
    },
    control: async (call, body, query = "") => {
      const [method = "", path = ""] = call.split(" ");
      const answer = await fetch(`${endpoints.control}${path}${query}`, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (!answer.ok) throw new Error(`${call}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as never;
    },
  };
}

/** Fields in which a signed request may differ from an operator's. */
interface Typed {
  readonly user?: string;
  readonly secret?: string;
  readonly trigger?: string;
}

/** Types a slash command as Slack would deliver it: a signed form, posted to the front door. */
export function type({ endpoints }: Running, text: string, typed: Typed = {}): Promise<Response> {
  const { user = "U0OPERATOR", secret = endpoints.signingSecret, trigger = randomUUID() } = typed;
  const body = new URLSearchParams({
    team_id: "T0CASEMENT",
    channel_id: "C0WINDOWS",
    channel_name: "windows-nodes",
    user_id: user,
    user_name: "somebody",
    command: "/win",
    text,
    api_app_id: "A0CASEMENT",
    response_url: `${endpoints.slack}/commands/T0CASEMENT/1/outside`,
    trigger_id: trigger,
  }).toString();
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex")}`;
  return fetch(endpoints.frontDoor, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": at,
      "x-slack-signature": signature,
    },
    body,
  });
}
