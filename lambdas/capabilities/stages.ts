import type { StageRow } from "./capability.ts";

/** Until one more node of the pool may be away. */
export const waitingForSlot = {
  name: "slot",
  words: { name: "slot", doing: "waiting for a slot" },
  minutes: 60,
  cancellable: true,
} as const satisfies StageRow;

/** The first thing that any workflow does which takes a node out of service. */
export const cordoning = {
  name: "cordon",
  words: { name: "cordon", doing: "cordoning the node" },
  minutes: 5,
  cancellable: true,
} as const satisfies StageRow;

/** Emptying a node; all its evictions share one deadline. */
export const evicting = {
  name: "evict",
  words: { name: "eviction", doing: "evicting pods" },
  minutes: 15,
  cancellable: true,
} as const satisfies StageRow;

/** The guard of the metadata route, installed and looked at. */
export const securingRoute = {
  name: "guard",
  words: { name: "metadata route", doing: "securing the metadata route" },
  minutes: 15,
  cancellable: true,
} as const satisfies StageRow;
