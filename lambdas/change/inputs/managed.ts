import type { Configuration } from "../../configuration/configuration.ts";
import { keyOfFile } from "../../inputs/input.ts";
import type { InputFile, InputName, MachineInputs } from "../../records/machine-record.ts";
import { managedNodes } from "../../steps/cluster/managed-nodes.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownersOf } from "../../steps/cluster/ownership.ts";
import type { Steps } from "../../steps/steps.ts";

/** Finds the nodes that get the cluster's inputs. If EC2 is unreachable, continue without their owners. */
export async function managedWindowsNodes(steps: Steps, configuration: Configuration): Promise<readonly Node[]> {
  const { cluster } = configuration;
  const [nodes, machines] = await Promise.all([
    steps.nodes.all(),
    steps.instances.ofCluster(cluster.id).catch(() => null),
  ]);
  const claimed = machines === null ? [] : await steps.claims.all();
  return managedNodes(machines, ownersOf(configuration, { nodes, claimed }));
}

/** Names the nodes whose record does not have a file of an input with this content, or did not confirm it. */
export const nodesWithout = (
  nodes: readonly Node[],
  given: ReadonlyMap<string, MachineInputs>,
  input: InputName,
  file: InputFile,
): readonly string[] =>
  nodes
    .filter((node) => {
      const sent = given.get(instanceIdOf(node) ?? "")?.[input];
      const has = sent?.files?.some((one) => keyOfFile(one) === keyOfFile(file));
      return !has || sent?.unconfirmed !== undefined;
    })
    .map(({ metadata }) => metadata?.name ?? "");
