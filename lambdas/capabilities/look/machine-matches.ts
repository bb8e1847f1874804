import { nodeMatches } from "../../commands/node-matches.ts";
import type { Machine } from "../../steps/ec2/instances.ts";

/** Finds the Windows machines that a person has typed, by what EC2 knows of them. */
export const machineMatches = (typed: string, machines: readonly Machine[]) =>
  nodeMatches(
    typed,
    machines
      .filter(({ isWindows }) => isWindows === true)
      .map((machine) => ({
        machine,
        name: machine.privateDnsName,
        instanceId: machine.instanceId,
        addresses: [machine.privateIp],
      })),
  );
