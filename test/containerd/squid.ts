import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { PROXY_ADDRESS } from "./registries.ts";
import { squidEnvironment } from "./squid-package.ts";

/** A running Squid that demands a password. */
export interface Squid {
  /** Makes a password the only one that it accepts, from the next connection on. */
  accept(password: string): void;
}

/** The user whose password it knows. */
export const PROXY_USER = "casement";
const PORT = 3128;

/** Seconds for which it goes on accepting a password that was changed. */
export const REMEMBERED_SECONDS = 1;

const START_LIMIT_MS = 15_000;
const LOOK_MS = 20;

/** Squid's settings (squid.conf.documented of 5.7): it serves loopback to who knows the password, and keeps nothing. */
const settings = (root: string, passwords: string): string =>
  [
    `http_port 127.0.0.1:${PORT}`,
    `tcp_outgoing_address ${PROXY_ADDRESS}`,
    "cache deny all",
    "access_log none",
    "cache_log /dev/null",
    "pid_filename none",
    "coredump_dir none",
    // Squid leaves root's rights.
    "cache_effective_user nobody",
    "visible_hostname proxy.example",
    "shutdown_lifetime 0 seconds",
    `mime_table ${join(root, "usr/share/squid/mime.conf")}`,
    `icon_directory ${join(root, "usr/share/squid/icons")}`,
    `error_directory ${join(root, "usr/share/squid/errors/en-us")}`,
    "netdb_filename none",
    `unlinkd_program ${join(root, "usr/lib/squid/unlinkd")}`,
    `logfile_daemon ${join(root, "usr/lib/squid/log_file_daemon")}`,
    "pinger_enable off",
    `auth_param basic program ${join(root, "usr/lib/squid/basic_ncsa_auth")} ${passwords}`,
    "auth_param basic children 1 startup=1",
    // With 0, Squid asks its helper about the same request for ever.
    `auth_param basic credentialsttl ${REMEMBERED_SECONDS} second`,
    "acl known proxy_auth REQUIRED",
    "http_access allow known",
    "http_access deny all",
  ].join("\n");

const listens = (): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(PORT, "127.0.0.1", () => resolve(true));
  socket.on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
};

/**
 * Starts Squid in this namespace. It ends with the namespace.
 * @param unpacked root below which its files are
 * @throws Error with what it printed if it does not listen within 15 seconds
 */
export async function startSquid(unpacked: string, folder: string): Promise<Squid> {
  const root = join(folder, "root");
  mkdirSync(root, { recursive: true });
  // Squid and its helper run as nobody, who may enter neither root's cache nor a temporary folder of root's.
  execFileSync("mount", ["--bind", unpacked, root]);
  for (const path of [dirname(folder), folder]) chmodSync(path, 0o711);
  const passwords = join(folder, "passwords");
  const accept = (password: string): void => {
    // basic_ncsa_auth takes the MD5 of a password too, and reads a changed file again.
    writeFileSync(passwords, `${PROXY_USER}:${createHash("md5").update(password).digest("hex")}\n`);
    chmodSync(passwords, 0o644);
  };
  accept("none yet");
  const file = join(folder, "squid.conf");
  writeFileSync(file, `${settings(root, passwords)}\n`);
  const child = spawn(join(root, "usr/sbin/squid"), ["-N", "-d", "1", "-f", file], {
    env: squidEnvironment(root),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let printed = "";
  child.stderr.on("data", (chunk) => {
    printed = `${printed}${chunk}`.slice(-2000);
  });
  for (const late = performance.now() + START_LIMIT_MS; !(await listens()); await pass(LOOK_MS))
    if (performance.now() > late || child.exitCode !== null) throw new Error(`Squid does not listen: ${printed}`);
  return { accept };
}
