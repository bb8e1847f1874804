import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NamespaceOptions, PullOrder, PullRecord } from "./orders.ts";

/** A containerd in namespaces of its own. */
export interface Containerd {
  /** Its folder; `hosts` below it is `config_path`. */
  readonly folder: string;
  /** Makes one pull; those that are asked for meanwhile wait. */
  pull(order: PullOrder): Promise<PullRecord>;
  close(): Promise<void>;
}

/** Answer of the namespaced process. */
interface Message {
  readonly id: number;
  readonly record?: PullRecord;
  readonly failure?: string;
}

/** New namespaces for mounts, network and processes; all of their processes end with `unshare`. */
export const NAMESPACES = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** A containerd that is needed for longer hangs: the whole lane takes a minute. */
const LIFETIME_MS = 5 * 60_000;

const ENDED = "the namespace of containerd ended";

/** Starts containerd where it sees the simulated registries and nothing else. */
export async function startContainerd(options: Omit<NamespaceOptions, "folder">): Promise<Containerd> {
  const folder = mkdtempSync(join(tmpdir(), "casement-containerd-"));
  const given: NamespaceOptions = { ...options, folder };
  const words = [...NAMESPACES, process.execPath, join(import.meta.dirname, "namespaced.ts"), JSON.stringify(given)];
  const child = spawn("unshare", words, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const waiting = new Map<number, PromiseWithResolvers<PullRecord | undefined>>();
  const answerTo = (id: number): Promise<PullRecord | undefined> => {
    const settled = Promise.withResolvers<PullRecord | undefined>();
    waiting.set(id, settled);
    return settled.promise;
  };
  child.on("message", (message) => {
    const { id, record, failure } = message as Message;
    if (failure) waiting.get(id)?.reject(new Error(failure));
    else waiting.get(id)?.resolve(record);
    waiting.delete(id);
  });
  child.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error(ENDED));
  });
  const lifetime = setTimeout(() => child.kill("SIGKILL"), LIFETIME_MS);
  let sent = 0;
  const pull = async (order: PullOrder): Promise<PullRecord> => {
    if (!child.connected) throw new Error(ENDED);
    const id = ++sent;
    const answer = answerTo(id);
    child.send({ id, order });
    const record = await answer;
    if (!record) throw new Error("the namespace of containerd answered without a record");
    return record;
  };
  const close = async (): Promise<void> => {
    clearTimeout(lifetime);
    child.kill("SIGKILL");
    await ended;
    // The processes in the namespace end a moment after the one that made it.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  await answerTo(0).catch(async (error) => {
    await close();
    throw error;
  });
  return { folder, pull, close };
}
