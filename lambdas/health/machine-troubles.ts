import type { Answers, ServiceQuestion } from "../machine/questions.ts";
import { LOW_DISK_BYTES, type MachineTrouble } from "../machine/seen-troubles.ts";
import { keepsExiting } from "./exits.ts";
import type { ExpectedMachine } from "./facts.ts";
import { HNS, lateHnsStart } from "./host-network.ts";

/** Questions of a scheduled observation about the exits of services; logs are left out, because a list of machines shows little. */
export const exitQuestions = ({ services }: Pick<ExpectedMachine, "services">): readonly ServiceQuestion[] =>
  services.map(({ name }) => ({ name }));

/** The same about what they do now, and about HNS, without which pods have no network. */
export const serviceQuestions = (expected: Pick<ExpectedMachine, "services">): readonly ServiceQuestion[] => [
  ...exitQuestions(expected),
  { name: HNS },
];

/** States in which a service neither runs nor is about to. */
const STOPPED: ReadonlySet<string> = new Set(["Stopped", "Paused"]);

/**
 * Finds what is wrong with a machine's services, its network and its drive. A service that keeps exiting is found
 * whether or not it runs at this moment.
 * @param clock the machine's clock, Unix seconds
 * @returns undefined if the machine could not say
 */
export function machineTroubles(
  answers: Answers,
  expected: Pick<ExpectedMachine, "optionalServices" | "networkServices">,
  clock: number,
): readonly MachineTrouble[] | undefined {
  const { services, exits = [], disk } = answers;
  if (!services || !disk) return undefined;
  const exiting = new Map(exits.filter((one) => keepsExiting(one, clock * 1_000)).map((one) => [one.name, one.times]));
  const wrong = services.flatMap(({ name, state }): readonly MachineTrouble[] => {
    if (name === HNS) return [];
    if (state === null)
      return expected.optionalServices.includes(name) ? [] : [{ kind: "service-absent", service: name }];
    const times = exiting.get(name);
    if (times !== undefined) return [{ kind: "service-exits", service: name, times }];
    return STOPPED.has(state) ? [{ kind: "service-stopped", service: name }] : [];
  });
  return [
    ...wrong,
    ...(lateHnsStart(answers, expected) === undefined ? [] : [{ kind: "hns-restarted" } as const]),
    ...(disk.freeBytes < LOW_DISK_BYTES ? [{ kind: "disk-low" } as const] : []),
  ];
}
