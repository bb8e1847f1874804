import type { Certificate } from "./image-certificates.ts";
import type { Machine } from "./machine.ts";
import type { Power } from "./state.ts";

/** A machine as the control API shows it (GET /state). */
export interface MachineView {
  readonly instanceId: string;
  readonly bootId: string;
  readonly power: Power;
  readonly services: readonly {
    readonly name: string;
    readonly state: string;
    readonly startType: string;
    readonly commandLine: string;
    readonly environment: readonly string[];
  }[];
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly size: number }[];
  readonly routes: readonly { readonly prefix: string; readonly nextHop: string; readonly interface: string }[];
  readonly tasks: readonly { readonly name: string; readonly enabled: boolean }[];
  readonly certificates: readonly Certificate[];
  readonly features: readonly string[];
}

/** Shows a machine in the control API: its real state, not what services report about it. */
export function describe(machine: Machine): MachineView {
  const { state, disk } = machine;
  return {
    instanceId: machine.id,
    bootId: String(state.bootId),
    power: state.power,
    services: Object.values(state.services).map((one) => ({
      name: one.name,
      state: one.state,
      startType: one.startType,
      commandLine: one.commandLine,
      environment: one.environment,
    })),
    files: disk.files().map(({ path, sha256, size }) => ({ path, sha256, size })),
    routes: state.routes.map((route) => ({ prefix: route.prefix, nextHop: route.nextHop, interface: route.interface })),
    tasks: Object.values(state.tasks).map(({ name, enabled }) => ({ name, enabled })),
    certificates: state.certificates,
    features: state.features.filter((feature) => feature.state === "Installed").map((feature) => feature.name),
  };
}
