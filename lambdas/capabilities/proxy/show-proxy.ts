import { managedWindowsNodes } from "../../change/inputs/managed.ts";
import type { OperationSettings } from "../../change/operation/op.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { UserError } from "../../errors.ts";
import type { FoundObjects, InputContent } from "../../inputs/input.ts";
import { hostsIn } from "../../inputs/mirrors/hosts-toml.ts";
import { mirrorsFrom, mirrorsInput } from "../../inputs/mirrors/input.ts";
import { proxyInput } from "../../inputs/proxy/input.ts";
import { proxyStateOf } from "../../inputs/proxy/node-state.ts";
import { variablesIn } from "../../inputs/proxy/variables.ts";
import { inputsNotApplied } from "../../messages/operation/reconcile.ts";
import type { Message } from "../../records/records.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import { inputContent, inputFound } from "../../steps/input-content.ts";
import type { Steps } from "../../steps/steps.ts";
import { proxyMessage } from "./proxy-message.ts";

/** Registries with mirrors, and these mirrors. If the mirror sets cannot be read, continue without them. */
async function registriesOf(steps: Steps, configuration: Configuration): Promise<readonly string[]> {
  const found = await inputFound(steps.inputObjects, mirrorsInput, configuration).catch(() => null);
  const { files } = found === null ? { files: [] } : mirrorsFrom(found, configuration, undefined);
  const hosts = files.flatMap(({ registry, text }) => [registry, ...hostsIn(text)]);
  return [...new Set(hosts.map((host) => host.replace(/\/.*$/, "")))].toSorted();
}

/** Makes the content that the cluster wants. A person asked, so a content that became empty is shown as it is. */
function contentOf(steps: Steps, found: FoundObjects, configuration: Configuration): Promise<InputContent> {
  const facts = { configuration, given: [], now: steps.now(), isRequested: true, accepted: [] };
  return inputContent(proxyInput, found, facts, steps);
}

/**
 * Shows the cluster's proxy, and the nodes that do not use it yet.
 * @throws UserError if the configuration applies no input; Refused if the proxy cannot be read
 */
export async function showProxy(steps: Steps, { runtimeVersion }: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(runtimeVersion);
  const found = await inputFound(steps.inputObjects, proxyInput, configuration);
  if (found === null) throw new UserError(inputsNotApplied);
  const [content, nodes, given, seen, registries] = await Promise.all([
    contentOf(steps, found, configuration),
    managedWindowsNodes(steps, configuration),
    steps.machines.given.all(),
    steps.machines.seen.all(),
    registriesOf(steps, configuration),
  ]);
  const shown = nodes.map((node) => {
    const [name, instanceId] = [node.metadata?.name ?? "", instanceIdOf(node) ?? ""];
    const records = { node: name, sent: given.get(instanceId)?.proxy, seen: seen.get(instanceId) };
    return { name, state: proxyStateOf(records, content) };
  });
  return proxyMessage({ variables: variablesIn(content.files), nodes: shown, registries });
}
