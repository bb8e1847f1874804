import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
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
 * Locks a directory for this process, and creates it if it is missing. The operating system releases the lock when the
 * process ends in any way. Node has no file locks, so SQLite's are used.
 * @throws StartError if another sandbox uses the directory
 */
export function lockState(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const lock = locked(join(folder, LOCK));
    // The reference keeps the lock from being garbage-collected, which would release it.
    process.once("exit", () => lock.close());
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new StartError(`another sandbox runs on the state in ${folder}: end it, or start this one elsewhere`);
  }
}

/** Does a sandbox run on the state in a directory? */
export function isLocked(folder: string): boolean {
  const path = join(folder, LOCK);
  if (!existsSync(path)) return false;
  const lock = new DatabaseSync(path, { readOnly: true });
  try {
    // A read asks for SQLite's shared lock, which the exclusive one refuses.
    lock.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === BUSY) return true;
    throw error;
  } finally {
    lock.close();
  }
}

/** Deletes everything in a locked directory except the lock. */
export function clearState(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name !== LOCK) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
