import { managedWindowsNodes, nodesWithout } from "../../change/inputs/managed.ts";
import type { OperationSettings } from "../../change/operation/op.ts";
import { registriesSecret } from "../../cluster/registries-secret.ts";
import type { Request } from "../../commands/request.ts";
import { UserError } from "../../errors.ts";
import { recordedFile } from "../../inputs/input.ts";
import { failedRenewals } from "../../inputs/mirrors/failed-renewals.ts";
import { mirrorsFrom, mirrorsInput } from "../../inputs/mirrors/input.ts";
import { isRenewed, textFileOf } from "../../inputs/mirrors/machine-files.ts";
import type { RecordedNode } from "../../inputs/recorded-node.ts";
import type { SeenMachine } from "../../machine/seen-machine.ts";
import { inputsNotApplied } from "../../messages/operation/reconcile.ts";
import { profileOf } from "../../profiles/list.ts";
import type { MachineInputs } from "../../records/machine-record.ts";
import type { Message } from "../../records/records.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { inputFound } from "../../steps/input-content.ts";
import { openQuestions } from "../../steps/input-watches.ts";
import type { Steps } from "../../steps/steps.ts";
import { mirrorsMessage, registryMessage, type ShownRegistry, unknownRegistry } from "./mirrors-message.ts";

/** Joins nodes with the records of their machines about mirrors. */
const recordedNodes = (
  nodes: readonly Node[],
  given: ReadonlyMap<string, MachineInputs>,
  seen: ReadonlyMap<string, SeenMachine>,
): readonly RecordedNode[] =>
  nodes.map((node) => {
    const instanceId = instanceIdOf(node) ?? "";
    return { node: node.metadata?.name ?? "", sent: given.get(instanceId)?.mirrors, seen: seen.get(instanceId) };
  });

type MirrorsRequest = Extract<Request, { command: "mirrors" }>;

/**
 * Shows the mirrors that the cluster wants, and the nodes that do not have them.
 * @throws UserError if the configuration applies no mirror sets, or none concerns the registry
 */
export async function showMirrors(
  steps: Steps,
  { registry }: MirrorsRequest,
  { runtimeVersion }: OperationSettings,
): Promise<Message> {
  const { configuration } = await steps.runtime.read(runtimeVersion);
  const [found, secret, nodes, given, seen, watch] = await Promise.all([
    inputFound(steps.inputObjects, mirrorsInput, configuration),
    steps.secretFacts.read(registriesSecret(configuration.cluster.name)),
    managedWindowsNodes(steps, configuration),
    steps.machines.given.all(),
    steps.machines.seen.all(),
    steps.inputWatches.of(mirrorsInput.rule).read(),
  ]);
  if (found === null) throw new UserError(inputsNotApplied);
  const wanted = mirrorsFrom(found, configuration, secret);
  const { registryFile } = profileOf(configuration);
  const questions = [...openQuestions(watch)];
  const renewals = failedRenewals(recordedNodes(nodes, given, seen), steps.now());
  const registries = wanted.files.map((file): ShownRegistry => {
    const recorded = recordedFile(textFileOf({ ...file, path: registryFile(file.folder) }, secret));
    const question = questions.find(([key]) => key.startsWith(`${file.registry}: `))?.[1] ?? null;
    const without = nodesWithout(nodes, given, "mirrors", recorded);
    return { ...file, path: recorded.path, question, without, notRenewed: isRenewed(file) ? renewals : [] };
  });
  const at = steps.timestamp();
  if (registry === null) return mirrorsMessage({ ...wanted, registries, nodes: nodes.length, renewals, at });
  const shown = registries.find((one) => one.registry === registry);
  const faults = wanted.inexpressible.filter((fault) => fault.registry === registry);
  if (!shown && faults.length === 0) throw new UserError(unknownRegistry(registry));
  return registryMessage(registry, { shown, faults, widened: wanted.widened, nodes: nodes.length, at });
}
