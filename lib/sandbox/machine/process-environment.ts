import type { Machine } from "./machine.ts";
import type { Service } from "./state.ts";

/** Variables of a process; names are in upper case, because they have no case in Windows. */
export type ProcessEnvironment = Readonly<Record<string, string>>;

/**
 * Notes the start of a service's process, which keeps the environment that the registry has then. Its time is the
 * machine's, and stays as it is when the clock is set (GetProcessTimes: creation time).
 */
export function noteStart(machine: Machine, service: Service): void {
  service.startedAt = machine.clock();
  service.startedWith = [...service.environment];
}

/** Ends the process behind a service. */
export function dropProcess(service: Service): void {
  service.processId = 0;
  delete service.startedAt;
  delete service.startedWith;
}

const pairOf = (text: string): readonly [string, string] => {
  const [name = "", ...value] = text.split("=");
  return [name.toUpperCase(), value.join("=")];
};

/**
 * Lists the variables that the process of a service has: those of the machine as of the boot, and the service's own as
 * of its start (Microsoft, "Environment Variables": the service control manager reads the former once).
 */
export function environmentOf({ state }: Machine, service: string): ProcessEnvironment {
  const ofMachine = Object.entries(state.bootEnvironment ?? {}).map(([name, value]) => `${name}=${value}`);
  const own = state.services[service.toLowerCase()]?.startedWith ?? [];
  return Object.fromEntries([...ofMachine, ...own].map(pairOf));
}
