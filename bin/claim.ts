import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "./start-error.ts";

/** SQLite's result code when another process holds the lock (sqlite.org/rescode.html). */
const BUSY = 5;
const LOCK = "lock";

function locked(path: string): DatabaseSync {
  const lock = new DatabaseSync(path);
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Claims a directory for this process; it is made when it is missing. The operating system ends the claim with the
 * process, however that ends: Node has no file locks, SQLite does.
 * @throws StartError when another sandbox runs on it
 */
export function claim(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const lock = locked(join(folder, LOCK));
    // As long as it is known here, it is not collected as garbage, which would end the claim.
    process.once("exit", () => lock.close());
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new StartError(`another sandbox runs on the state in ${folder}: end it, or start this one elsewhere`);
  }
}

/** Forgets everything in a directory that is claimed. */
export function forget(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name !== LOCK) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
