import type { Capability } from "../capability.ts";
import { type Argument, command, type Option } from "../command.ts";
import { reason, targets } from "../options.ts";
import { inWords } from "../targets.ts";

/** Pool of a freeze. */
const stoppedPool = {
  name: "pool",
  kind: "pool",
  required: false,
  means: "a pool; the whole cluster by default",
} as const satisfies Argument;

/** Time after which a freeze or a hold ends by itself. */
const duration = {
  option: "for",
  kind: "text",
  value: "<duration>",
  most: 20,
  means: "minutes, hours or days, such as 90m, 4h or 2d (default: until lifted)",
} as const satisfies Option;

/** Moment at which a freeze or a hold ends by itself. */
const until = {
  option: "until",
  kind: "text",
  value: '"<time>"',
  most: 40,
  means:
    'a time instead of --for, such as "Mon 06:00" or "2026-11-30 06:00", in the time zone of the pool\'s maintenance windows, otherwise in UTC',
} as const satisfies Option;

/** Freezes and holds, which keep Casement from disturbing nodes. */
export const stops = {
  name: "stops",
  commands: [
    command({
      name: "freeze",
      also: ["freeze pool"],
      arguments: [stoppedPool],
      options: [duration, until, reason],
      effect: "change",
      workflow: "stop-changes",
      dialog: false,
      title: ({ pool }) => `Freeze ${pool ?? "the cluster"}`,
      summary: "Keeps Casement from disturbing nodes, everywhere or in a pool",
      detail:
        "No drain, reboot or removal begins, and those under way stop before their next change and give their node back. Looks, adds, cordon, uncordon and cancel go on. Ends with its time, or by thaw. The annotation casement.dev/freeze on the Namespace casement freezes everything too.",
      examples: ['freeze --reason "release night" --for 8h', 'freeze web --reason "INC-4711"'],
    }),
    command({
      name: "thaw",
      also: ["thaw pool", "unfreeze"],
      arguments: [stoppedPool],
      options: [],
      effect: "change",
      workflow: "stop-changes",
      dialog: false,
      title: ({ pool }) => `Thaw ${pool ?? "the cluster"}`,
      summary: "Ends a freeze",
      detail: "Ends the freeze of the whole cluster, or of the named pool; the other one stays.",
      examples: ["thaw", "thaw web"],
    }),
    command({
      name: "hold",
      also: ["hold node", "hold nodes"],
      arguments: [targets],
      options: [duration, until, reason],
      effect: "change",
      workflow: "stop-changes",
      dialog: false,
      title: ({ targets }) => `Hold ${inWords(targets)}`,
      summary: "Keeps Casement from disturbing nodes, one by one or all of a pool",
      detail:
        "Does for single nodes what freeze does: no drain, reboot or removal of them, until its time is over or unhold. With kubectl: the annotation casement.dev/hold on the Node, with the reason as its value.",
      examples: ['hold ip-10-0-3-7 --reason "disk under investigation" --for 2d', 'hold web --reason "load test"'],
    }),
    command({
      name: "unhold",
      also: ["unhold node", "unhold nodes"],
      arguments: [targets],
      options: [],
      effect: "change",
      workflow: "stop-changes",
      dialog: false,
      title: ({ targets }) => `Unhold ${inWords(targets)}`,
      summary: "Ends the hold of nodes or of a pool",
      detail: "Ends a hold before its time. A hold by annotation is ended by its owner, who takes the annotation off.",
      examples: ["unhold ip-10-0-3-7", "unhold web"],
    }),
  ],
  workflows: { "stop-changes": { hours: 1, account: "look" } },
} as const satisfies Capability;
