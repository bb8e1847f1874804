import { managedWindowsNodes, nodesWithout } from "../../change/inputs/managed.ts";
import type { OperationSettings } from "../../change/operation/op.ts";
import { sha256 } from "../../cluster/authorities.ts";
import { UserError } from "../../errors.ts";
import type { InputAnswers } from "../../inputs/questions.ts";
import { namedAuthorities } from "../../inputs/trust/authorities.ts";
import { authorityBundles } from "../../inputs/trust/bundles.ts";
import { certificatePath, isUndecided, trustedAuthoritiesInput } from "../../inputs/trust/input.ts";
import { inputsNotApplied } from "../../messages/operation/reconcile.ts";
import type { Message } from "../../records/records.ts";
import { inputFound } from "../../steps/input-content.ts";
import type { Steps } from "../../steps/steps.ts";
import { type AuthorityState, authoritiesMessage } from "./authorities-message.ts";

/** State of an authority that no node gets before people approve it. */
function waitingState(thumbprint: string, { denied, question }: InputAnswers): AuthorityState {
  if (denied.includes(thumbprint)) return { kind: "denied" };
  const isAsked = question?.keys.includes(thumbprint) ?? false;
  return { kind: "waits", operation: isAsked ? (question?.operation ?? null) : null };
}

/**
 * Shows the authorities that the cluster trusts, and the nodes that do not have them.
 * @throws UserError if the configuration applies none
 */
export async function showAuthorities(steps: Steps, { runtimeVersion }: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(runtimeVersion);
  const { name, rule } = trustedAuthoritiesInput;
  const [found, nodes, all, watch] = await Promise.all([
    inputFound(steps.inputObjects, trustedAuthoritiesInput, configuration),
    managedWindowsNodes(steps, configuration),
    steps.machines.given.all(),
    steps.inputWatches.of(rule).read(),
  ]);
  if (found === null) throw new UserError(inputsNotApplied);
  const { authorities, refused } = namedAuthorities(authorityBundles(found, configuration), steps.now());
  const given = [...all.values()].flatMap((one) => one[name] ?? []);
  const isWaiting = isUndecided({ configuration, given, accepted: watch.accepted });
  return authoritiesMessage({
    refused,
    nodes: nodes.length,
    authorities: authorities.map((one) => {
      const file = { path: certificatePath(one), sha256: sha256(one.pem) };
      const state: AuthorityState = isWaiting(one)
        ? waitingState(one.thumbprint, watch)
        : { kind: "given", without: nodesWithout(nodes, all, name, file) };
      return { ...one, state };
    }),
  });
}
