import type { Answers, ServiceQuestion } from "../machine/questions.ts";
import { LOW_DISK_BYTES, type MachineTrouble } from "../machine/seen-troubles.ts";
import type { ExpectedMachine } from "./facts.ts";

/** Questions of a scheduled look about services; their logs are left out, because a list of machines shows little. */
export const serviceQuestions = ({ services }: Pick<ExpectedMachine, "services">): readonly ServiceQuestion[] =>
  services.map(({ name }) => ({ name }));

/** States in which a service neither runs nor is about to. */
const STOPPED: ReadonlySet<string> = new Set(["Stopped", "Paused"]);

/**
 * Finds what is wrong with a machine's services and its drive.
 * @returns undefined if the machine could not say
 */
export function machineTroubles(
  { services, disk }: Answers,
  { optionalServices }: Pick<ExpectedMachine, "optionalServices">,
): readonly MachineTrouble[] | undefined {
  if (!services || !disk) return undefined;
  const wrong = services.flatMap(({ name, state }): readonly MachineTrouble[] => {
    if (state === null) return optionalServices.includes(name) ? [] : [{ kind: "service-absent", service: name }];
    return STOPPED.has(state) ? [{ kind: "service-stopped", service: name }] : [];
  });
  return [...wrong, ...(disk.freeBytes < LOW_DISK_BYTES ? [{ kind: "disk-low" } as const] : [])];
}
