import { z } from "zod";
import type { Cloud, InstanceFacts } from "../core/ports.ts";

/** At most five keys of fifty values (API reference, SendCommand and Target); resource groups are not simulated. */
export const targetsInput = z
  .array(
    z.strictObject({
      Key: z
        .string()
        .regex(/^(InstanceIds|tag-key|tag:.{1,128})$/, "a key that is simulated: InstanceIds, tag:… or tag-key"),
      Values: z.array(z.string().min(1)).min(1).max(50),
    }),
  )
  .max(5);

/** One condition on machines. */
export type Target = z.output<typeof targetsInput>[number];

/** A machine whose agent has registered. */
interface Registered {
  readonly instanceId: string;
}

function fits({ instanceId, tags }: InstanceFacts, { Key: key, Values: values }: Target): boolean {
  if (key === "InstanceIds") return values.includes(instanceId);
  if (key === "tag-key") return values.some((name) => Object.hasOwn(tags, name));
  return values.includes(tags[key.slice("tag:".length)] ?? "");
}

/**
 * Selects the registered machines that match every condition, each by any of its values (user guide, "Using targets to
 * send commands to managed nodes").
 */
export const machinesFor = (targets: readonly Target[], registered: readonly Registered[], cloud: Cloud): string[] =>
  registered
    .flatMap(({ instanceId }) => cloud.instance(instanceId) ?? [])
    .filter((instance) => targets.every((target) => fits(instance, target)))
    .map(({ instanceId }) => instanceId);
