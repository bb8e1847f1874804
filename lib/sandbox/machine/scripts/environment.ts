import { sha256Of } from "../disk.ts";
import type { Machine } from "../machine.ts";
import type { Service } from "../state.ts";

const FOLDER = "C:\\Casement";
const NOTE = /^started-(.*)\.txt$/;

/** Ticks of .NET at the epoch: a hundred nanoseconds each, since the year 1. */
const EPOCH_TICKS = 621_355_968_000_000_000n;

/** The process behind a service, as environment.ps1 names it; empty while it does not run. */
function processOf({ processId, startedAt = 0 }: Service): string {
  return processId === 0 ? "" : `${processId} ${BigInt(startedAt) * 10_000n + EPOCH_TICKS} `;
}

const textOf = (service: Service): string => `${processOf(service)}${sha256Of(service.environment.join("\n"))}`;

/** Save-Started of variables.ps1: notes what the process of a service started with, before the first change. */
export function saveStarted({ disk }: Machine, service: Service): void {
  const path = `${FOLDER}\\started-${service.name}.txt`;
  const process = processOf(service);
  if (process === "" || disk.text(path)?.startsWith(process)) return;
  disk.write(path, Buffer.from(textOf(service)));
}

/** Test-EnvironmentPending of environment.ps1: does a service run with another environment than the registry has now? */
export const isEnvironmentPending = ({ disk, state }: Machine): boolean =>
  disk.filesIn(FOLDER).some(({ path }) => {
    const [, name = ""] = NOTE.exec(path.slice(FOLDER.length + 1)) ?? [];
    const service = state.services[name.toLowerCase()];
    const started = disk.text(path) ?? "";
    if (!service || processOf(service) === "") return false;
    return started.startsWith(processOf(service)) && started !== textOf(service);
  });
