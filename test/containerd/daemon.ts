import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import type { ClientHttp2Session } from "node:http2";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { listImages, openCri } from "./cri.ts";
import { architecture } from "./images.ts";

/** Settings of containerd that a case asks for. */
export interface Settings {
  /** `[registry.headers]`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Is a second directory named in `config_path`? */
  readonly isPathList?: boolean;
  /** Environment with which it starts, such as HTTPS_PROXY. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A containerd to be run: its program, its major version, a folder of its own, the certificate that it trusts. */
export interface Program {
  readonly path: string;
  readonly major: number;
  readonly folder: string;
  readonly trusted: string;
}

/** One line of containerd's log. */
export interface LogLine {
  readonly msg: string;
  readonly url?: string;
  readonly "request.method"?: string;
}

/** A running containerd. */
export interface Daemon {
  readonly session: ClientHttp2Session;
  /** Everything that it has logged. */
  readonly log: readonly LogLine[];
  /** Waits for a line behind the first `from` ones; at most ten seconds. */
  logged(from: number, matches: (line: LogLine) => boolean): Promise<void>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 15_000;
const LOG_LIMIT_MS = 10_000;
const LOOK_MS = 5;

/** Plugins that need devices, file systems or services which a test machine may lack. */
const DISABLED = [
  ...["aufs", "blockfile", "btrfs", "devmapper", "erofs", "overlayfs", "zfs"].map((one) => `snapshotter.v1.${one}`),
  "internal.v1.tracing",
  "tracing.processor.v1.otlp",
  "nri.v1.nri",
].map((plugin) => `io.containerd.${plugin}`);

/** The folder below which hosts.toml files lie. */
export const hostsFolder = (folder: string): string => join(folder, "hosts");

const lines = (...all: string[]): string => `${all.join("\n")}\n`;

/** The tables of CRI, which moved with version 3 of the configuration (containerd 2.0). */
function criTables(major: number, folder: string, { headers = {}, isPathList }: Settings): string {
  const images = major === 1 ? "io.containerd.grpc.v1.cri" : "io.containerd.cri.v1.images";
  const snapshotter = major === 1 ? `[plugins."${images}".containerd]` : `[plugins."${images}"]`;
  const path = isPathList ? `${hostsFolder(folder)}:${join(folder, "others")}` : hostsFolder(folder);
  const given = Object.entries(headers).map(([name, value]) => `${name} = ["${value}"]`);
  return lines(
    snapshotter,
    'snapshotter = "native"',
    `[plugins."${images}".registry]`,
    `config_path = "${path}"`,
    `[plugins."${images}".registry.headers]`,
    ...given,
  );
}

/** The transfer service, through which CRI pulls since 2.1, unpacks for the default snapshotter only unless it is named. */
const transferTables = lines(
  '[[plugins."io.containerd.transfer.v1.local".unpack_config]]',
  `platform = "linux/${architecture}"`,
  'snapshotter = "native"',
  'differ = "walking"',
);

const socketOf = (folder: string): string => join(folder, "containerd.sock");

function configuration({ major, folder }: Program, settings: Settings): string {
  return [
    `version = ${major === 1 ? 2 : 3}`,
    `root = "${join(folder, "root")}"`,
    `state = "${join(folder, "state")}"`,
    `disabled_plugins = ${JSON.stringify(DISABLED)}`,
    "[debug]",
    'level = "debug"',
    'format = "json"',
    "[grpc]",
    `address = "${socketOf(folder)}"`,
    criTables(major, folder, settings),
    major === 1 ? "" : transferTables,
  ].join("\n");
}

function parsed(line: string): LogLine {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}

/** Reads what containerd logs. */
function journal(child: ChildProcess) {
  const log: LogLine[] = [];
  if (child.stderr) createInterface(child.stderr).on("line", (line) => log.push(parsed(line)));
  const logged = async (from: number, matches: (line: LogLine) => boolean): Promise<void> => {
    const until = performance.now() + LOG_LIMIT_MS;
    while (!log.slice(from).some(matches)) {
      if (performance.now() > until) throw new Error(`containerd logged none of the lines that were waited for`);
      await pass(LOOK_MS);
    }
  };
  return { log, logged };
}

/** Waits until CRI answers: it starts after the socket is open. */
async function answering(folder: string, signal: AbortSignal): Promise<ClientHttp2Session> {
  const session = openCri(socketOf(folder));
  const connected = await once(session, "connect").then(
    () => true,
    () => false,
  );
  const isServing = connected && (await listImages(session, signal)).status === 0;
  if (isServing) return session;
  session.destroy();
  await pass(LOOK_MS, undefined, { signal });
  return answering(folder, signal);
}

/**
 * Starts containerd and waits until it answers.
 * @throws Error with the end of its log when it does not within 15 seconds
 */
export async function startDaemon(program: Program, settings: Settings): Promise<Daemon> {
  const { path, folder, trusted } = program;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "config.toml");
  writeFileSync(file, configuration(program, settings));
  const env = { PATH: process.env.PATH, SSL_CERT_FILE: trusted, ...settings.environment };
  const child = spawn(path, ["--config", file], { env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  const { log, logged } = journal(child);
  const late = AbortSignal.timeout(START_LIMIT_MS);
  const failed = ended.then(() => Promise.reject(new Error("it ended")));
  const session = await Promise.race([answering(folder, late), failed]).catch((error) => {
    const last = log.slice(-5).map((line) => JSON.stringify(line));
    child.kill("SIGKILL");
    throw new Error(`containerd did not start (${error.message}): ${last.join("\n")}`);
  });
  failed.catch(() => undefined);
  const stop = async (): Promise<void> => {
    session.destroy();
    child.kill("SIGKILL");
    await ended;
  };
  return { session, log, logged, stop };
}
