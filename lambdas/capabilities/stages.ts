import type { StageRow } from "./capability.ts";

/** Waits until one more node of the pool may be out of service. */
export const waitingForSlot = {
  name: "slot",
  words: { name: "slot", doing: "waiting for a slot" },
  minutes: 60,
  cancellable: true,
} as const satisfies StageRow;

/** Cordons the node, before anything else takes it out of service. */
export const cordoning = {
  name: "cordon",
  words: { name: "cordon", doing: "cordoning the node" },
  minutes: 5,
  cancellable: true,
} as const satisfies StageRow;

/** Empties the node; all its evictions share one deadline. */
export const evicting = {
  name: "evict",
  words: { name: "eviction", doing: "evicting pods" },
  minutes: 15,
  cancellable: true,
} as const satisfies StageRow;

/** Installs and verifies the guard of the metadata route. */
export const securingRoute = {
  name: "guard",
  words: { name: "metadata route", doing: "securing the metadata route" },
  minutes: 15,
  cancellable: true,
} as const satisfies StageRow;
