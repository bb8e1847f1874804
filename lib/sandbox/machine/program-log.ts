import { logNamedIn } from "./command-line.ts";
import type { Machine } from "./machine.ts";
import type { Service } from "./state.ts";

/** Characters that the simulation keeps of a program's log (the sandbox's own figure). */
const LOG_CHARACTERS = 8_000;

/** A program writes a line into the log that its command line names. */
export function writeLog(machine: Machine, service: Service, line: string): void {
  const path = logNamedIn(service.commandLine);
  if (path === undefined || !machine.disk.directory(path.slice(0, path.lastIndexOf("\\")))) return;
  const at = new Date(machine.clock()).toISOString();
  const text = `${machine.disk.text(path) ?? ""}${at} ${line}\n`.slice(-LOG_CHARACTERS);
  machine.disk.write(path, Buffer.from(text));
}
