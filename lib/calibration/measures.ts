import { type StageOf, stages } from "../../lambdas/stages.ts";
import type { FigureName } from "../sandbox/core/figures.ts";

/** Workflows on a node whose stages an acceptance run measures, in its order. */
export const measuredWorkflows = ["provision", "reboot", "remove"] as const;

type Measured = (typeof measuredWorkflows)[number];

type StageMeasure = { [W in Measured]: `${W}.${StageOf<W>}` }[Measured];

/** A time that an acceptance run measures: a stage, the guard's repair of the route, PowerShell's start. */
export type MeasureName = StageMeasure | "route.repair" | "route.powershell";

/** Measured times, in seconds. */
export type Measures = Readonly<Partial<Record<MeasureName, number>>>;

const stageMeasures = measuredWorkflows.flatMap((workflow) =>
  stages[workflow].map(({ name }) => `${workflow}.${name}` as StageMeasure),
);

/** Names of all measured times, in the order of a run. */
export const measureNames: readonly [MeasureName, ...MeasureName[]] = [
  "provision.launch",
  ...stageMeasures.filter((name) => name.startsWith("provision.") && name !== "provision.launch"),
  "route.powershell",
  "route.repair",
  ...stageMeasures.filter((name) => !name.startsWith("provision.")),
];

/** Parts of a measured time. */
export interface Composition {
  /** Seconds, least and most, that no figure covers: Casement's own polls, and figures that are not measured. */
  readonly rest: readonly [least: number, most: number];
  /** Number of times that each figure is part of it. `featureList` is that of the machine's release of Windows. */
  readonly parts: Readonly<Partial<Record<FigureName, number>>>;
  /** Figures that the measured time corrects. */
  readonly corrects?: readonly FigureName[];
}

const quick: Composition = { rest: [0, 15], parts: {} };

/** Number of programs in the payload, each of which is downloaded once. */
const PROGRAMS = 13;

/** A boot that a command requests: the agent waits a minute before it, and loads again afterwards. */
const rebooting = {
  shutdown: 1,
  laterBoot: 1,
  agentLoading: 1,
  agentRegistering: 1,
  powershellCold: 1,
  featureList: 1,
};

/**
 * Composition of each measured time in the sandbox. test/outside/acceptance compares the sandbox with this table. A
 * stage without a row is measured but not compared.
 */
export const compositions: Readonly<Partial<Record<MeasureName, Composition>>> = {
  "provision.launch": { rest: [2, 12], parts: { launch: 1 }, corrects: ["launch"] },
  "provision.agent": {
    rest: [0, 25],
    parts: { specialize: 1, outOfBox: 1, agentLoading: 1, agentRegistering: 1 },
    // The agent's few seconds cannot be separated from Windows' minutes.
    corrects: ["specialize", "outOfBox"],
  },
  "provision.guard": {
    rest: [20, 80],
    parts: { powershellCold: 1, featureList: 1 },
    corrects: ["powershellCold", "featureList"],
  },
  "provision.features": {
    rest: [80, 160],
    parts: { ...rebooting, featureInstall: 1 },
    corrects: ["featureInstall"],
  },
  "provision.payload": { rest: [5, 25], parts: { download: PROGRAMS }, corrects: ["download"] },
  "provision.configure": { rest: [25, 90], parts: {} },
  "provision.client-csr": { rest: [0, 20], parts: {} },
  "provision.node": quick,
  "provision.serving-csr": { rest: [0, 30], parts: {} },
  "provision.network": { rest: [5, 30], parts: { podNetwork: 2 }, corrects: ["podNetwork"] },
  "provision.ready": { rest: [0, 20], parts: {} },
  "provision.verify": quick,
  // Without the pull of its image, which a new machine has not done yet.
  "provision.probe": { rest: [0, 60], parts: {} },
  "provision.admit": quick,
  "route.powershell": { rest: [0, 0], parts: { powershellWarm: 1 }, corrects: ["powershellWarm"] },
  // Its task runs every minute; then PowerShell and its network modules load.
  "route.repair": { rest: [0, 65], parts: { powershellWarm: 1 } },
  "reboot.slot": quick,
  "reboot.guard": { rest: [5, 40], parts: {} },
  "reboot.cordon": quick,
  "reboot.evict": { rest: [0, 25], parts: {} },
  "reboot.reboot": { rest: [80, 160], parts: rebooting, corrects: ["shutdown", "laterBoot"] },
  "reboot.prove": { rest: [60, 150], parts: {} },
  "reboot.restore": quick,
  "remove.slot": quick,
  "remove.cordon": quick,
  "remove.evict": { rest: [0, 25], parts: {} },
  "remove.terminate": { rest: [0, 30], parts: { terminate: 1 }, corrects: ["terminate"] },
  "remove.delete": quick,
};
