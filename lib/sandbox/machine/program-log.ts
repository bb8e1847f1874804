import { logNamedIn } from "./command-line.ts";
import type { Machine } from "./machine.ts";
import type { Service } from "./state.ts";

/** Characters that are kept of a program's log (chosen for the simulator). */
const LOG_CHARACTERS = 8_000;

/** Writes a program's line into the log that its command line names. */
export function writeLog(machine: Machine, service: Service, line: string): void {
  const path = logNamedIn(service.commandLine);
  if (path === undefined || !machine.disk.directory(path.slice(0, path.lastIndexOf("\\")))) return;
  const at = new Date(machine.clock()).toISOString();
  const text = `${machine.disk.text(path) ?? ""}${at} ${line}\n`.slice(-LOG_CHARACTERS);
  machine.disk.write(path, Buffer.from(text));
}
