import { type Rule, startedBy } from "../../change/fleet/by-rule.ts";
import type { FleetOperation, FleetRow, Member, Planner, Trial } from "../../change/fleet/row.ts";
import { type Bundle, sha256 } from "../../cluster/authorities.ts";
import { KUBELET_CLIENTS } from "../../cluster/node-keys.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import type { Deadlines } from "../../configuration/deadlines.ts";
import { readApplied } from "../../engine/apply-plan.ts";
import { done, MINUTE, pending, step, until, untilTime } from "../../engine/durable.ts";
import type { MachinePlan } from "../../machine/plan.ts";
import { profileOf } from "../../profiles/list.ts";
import { kubeletClientsIn } from "../../records/machine-record.ts";
import { idOf, type OperationOpening } from "../../steps/open-operation.ts";
import type { Steps } from "../../steps/steps.ts";
import { authority } from "./capability.ts";
import type { DueNode } from "./due.ts";
import { authorityWords } from "./messages.ts";

/**
 * Minutes of the change and of its proof. A configuration that an execution of the last release has stored has none.
 */
const minutesOf = ({ deadlines }: Configuration): Deadlines["authority"] => ({
  ...{ file: authority.stages.authority[0].minutes, ...authority.waits.authority },
  ...deadlines.authority,
});

/** Minutes after which no machine may begin, however many batches there are. */
const PLAN_MINUTES = 60;

/**
 * Milliseconds for which no node gets a file that the first node failed with. Longer if the kubelet refused the API
 * server with it, because then the file is the cause.
 */
const BLOCKED_MS = { proof: 24 * 3_600_000, change: 3_600_000 };

/** Opening of the operation that a tick of the schedule starts. */
export const openingOf = ({ cluster, slack }: Configuration, tick: string): OperationOpening => ({
  request: { command: "authority" },
  cause: tick,
  cluster: cluster.name,
  channel: slack.channel,
});

/** The schedule's rule, under which the operation of an opening begins. */
export const ruleOf = (steps: Steps, opening: OperationOpening): Rule => ({
  origin: { by: "rule", rule: "authority" },
  opening,
  words: authorityWords,
  claim: () =>
    steps.authorityWatch.claim(idOf(opening), async (other) => (await steps.ledger.operation(other))?.endedAt !== null),
});

const planner =
  ({ steps, operation }: FleetOperation, configuration: Configuration, { pem }: Bundle): Planner<DueNode> =>
  (_members, name) => {
    const plan: MachinePlan = {
      format: 2,
      operation,
      madeAt: Math.floor(steps.now() / 1000),
      notAfter: Math.floor((steps.now() + PLAN_MINUTES * MINUTE) / 1000),
      actions: [profileOf(configuration).kubeletClients(pem)],
    };
    return steps.machine.requestFor(plan, `plans/${operation}/${name.replaceAll(" ", "-")}.json`);
  };

/** Result of a proof that was not possible: no pod runs on the node whose log could be read. */
const NO_POD = "no pod runs on it";

/**
 * Proves the new file by reading a pod's log on the node, as `kubectl logs` does.
 * @param minutes time for the kubelet to load the new file, which it polls once a minute
 * @returns null when the kubelet returned a log; a remark when no pod runs there
 * @throws StageFailed with the last answer when the kubelet keeps refusing
 */
async function prove({ ctx, steps }: FleetOperation, name: string, minutes: number): Promise<string | null> {
  const deadline = await step(ctx, "deadline of the proof", async () => steps.now() + minutes * MINUTE);
  const answer = await until(ctx, `a log is read on ${name}`, untilTime(deadline, steps.now), async () => {
    const pods = await steps.nodes.podsOn(name);
    const pod = pods.find(({ status, metadata }) => status?.phase === "Running" && !metadata?.deletionTimestamp);
    if (!pod) return done(NO_POD);
    const refusal = await steps.nodes.logRefusal(pod);
    return refusal === null ? done("") : pending(refusal);
  });
  return answer === NO_POD ? `No pod runs on ${name}, so no log could be read there as a proof.` : null;
}

const trialOf = (op: FleetOperation, configuration: Configuration, bundle: Bundle): Trial<DueNode> => ({
  names: { plan: "plan: change first", send: "change first", settle: "settle the first node" },
  prove: ({ name }) => prove(op, name, minutesOf(configuration).proof),
  block: ({ instanceId }, at) =>
    op.steps.authorityWatch.block({
      sha256: sha256(bundle.pem),
      instanceId,
      until: op.steps.now() + BLOCKED_MS[at],
    }),
});

async function onChanged(steps: Steps, { instanceId, name, lease }: Member<DueNode>, bundle: Bundle): Promise<void> {
  await steps.machines.given.record(instanceId, lease.owner, "kubeletClients", kubeletClientsIn(bundle));
  const node = await steps.nodes.read(name);
  if (node) await steps.nodes.annotate(node, { [KUBELET_CLIENTS]: sha256(bundle.pem) });
}

/** Fleet change, started by a rule, that gives nodes one bundle of authorities. */
export const authorityRow = (
  op: FleetOperation,
  rule: Rule,
  configuration: Configuration,
  bundle: Bundle,
): FleetRow<DueNode> => ({
  ...startedBy<DueNode>(op, rule),
  workflow: "authority",
  stage: "file",
  claim: "begin",
  sending: async () => ({
    script: "apply",
    minutes: minutesOf(configuration).file,
    plan: planner(op, configuration, bundle),
    read: readApplied,
  }),
  trial: trialOf(op, configuration, bundle),
  rest: { plan: "plan: change the rest", send: "change the rest", settle: "settle the rest" },
  onChanged: (member) => onChanged(op.steps, member, bundle),
  audit: {
    succeeded: "changed",
    detail: { change: "replace the kubelet's client authority", sha256: sha256(bundle.pem) },
  },
});
