import { z } from "zod";
import type { Fault } from "./rule-faults.ts";

/** A network or a managed prefix list, as that of a gateway endpoint (VPC User Guide, "Security group rules"). */
const destination = z.union([z.cidrv4(), z.cidrv6(), z.string().regex(/^pl-[0-9a-f]{8,17}$/)], {
  error: 'must be a network, "10.0.0.0/16", or a prefix list, "pl-68a54001"',
});

const destinations = z.array(destination).min(1).optional();

/** Destinations that the stack's two security groups let their members call; a group that is left out lets them call any. */
export const egressSchema = z.strictObject({ nodes: destinations, functions: destinations });

/** Names the field of a rule that holds a destination. */
const fieldOf = (to: string): object => {
  if (to.startsWith("pl-")) return { destinationPrefixListId: to };
  return to.includes(":") ? { cidrIpv6: to } : { cidrIp: to };
};

/** Builds the outbound rules of a group. @param allowed undefined for any destination */
export const egressRules = (allowed: readonly string[] | undefined, description: string) =>
  (allowed ?? ["0.0.0.0/0"]).map((to) => ({ ipProtocol: "-1", description, ...fieldOf(to) }));

/** Finds a list for functions that are in no VPC. */
export const egressFaults = ({
  aws: { egress, functionsNetwork: network },
}: {
  readonly aws: {
    readonly egress: z.output<typeof egressSchema>;
    readonly functionsNetwork?: object | undefined;
  };
}): Fault[] =>
  egress.functions && !network
    ? [{ path: ["aws", "egress", "functions"], message: "needs aws.functionsNetwork: the functions are in no VPC" }]
    : [];
