import { messageOf } from "../../../message-of.ts";
import { damages } from "../fault-kinds.ts";
import type { Machine } from "../machine.ts";
import { Fault } from "./causes.ts";

/** @throws Error with Windows' words while the fault "disk-full" is in force */
export function requireSpace(machine: Machine, path: string): void {
  if (machine.faultApplies("disk-full"))
    throw new Fault("disk-full", `There is not enough space on the disk. : '${path}'`);
}

/** Writes a record of a script. @throws Error on a full disk */
export function writeRecord(machine: Machine, path: string, record: object): void {
  requireSpace(machine, path);
  machine.disk.write(path, Buffer.from(JSON.stringify(record)), "system");
}

const damaged = (text: string, how: (typeof damages)[number]): string => {
  if (how === "empty") return "";
  return how === "half" ? text.slice(0, text.length / 2) : "\0".repeat(text.length);
};

/** Reads a record; the fault "record-damaged" applies here. @returns undefined when it is missing or cannot be read */
export function readRecord(machine: Machine, path: string): Readonly<Record<string, unknown>> | undefined {
  const file = path.slice(path.lastIndexOf("\\") + 1);
  const how = damages.find((one) => machine.faultApplies("record-damaged", { file, how: one }));
  if (how) machine.disk.write(path, Buffer.from(damaged(machine.disk.text(path) ?? "{}", how)), "system");
  try {
    const value: unknown = JSON.parse(machine.disk.text(path) ?? "");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the error that one of Casement's tasks keeps in its record; empty when it cannot be read. */
export const recordedError = (machine: Machine, path: string): string => String(readRecord(machine, path)?.error ?? "");

/** Writes an event of the source Casement into the machine's log. */
export const writeEvent = (machine: Machine, id: number, text: string): void =>
  machine.log("Casement", `${id} ${text}`);

/** Writes a record that is not essential: a failure becomes an event. */
export function tryRecord(machine: Machine, event: number, path: string, record: object): void {
  try {
    writeRecord(machine, path, record);
  } catch (error) {
    writeEvent(machine, event, `The record could not be written: ${messageOf(error)}`);
  }
}
