import { nodeMatches } from "../../commands/node-matches.ts";
import type { Configuration } from "../../configuration.ts";
import type { HealthFacts, Known } from "../../desired/health/facts.ts";
import { UserError } from "../../errors.ts";
import { type Away, machinesMessage, sentenceOf } from "../../messages/node/away.ts";
import { missing } from "../../messages/node/why.ts";
import { noSuchNode, severalNodes } from "../../messages/operation/dry-runs.ts";
import { profileOf } from "../../profiles/list.ts";
import type { Message } from "../../records.ts";
import { awayOf } from "../../steps/away.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { isOurs, type Machine } from "../../steps/ec2/instances.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";
import { findNode } from "../node/find-node.ts";
import type { Begun } from "../operation/lifecycle.ts";

/** Seconds in which a service must have listed what there is, and seconds for what it knows of the one node. */
const LIST_SECONDS = 6;
const ONE_SECONDS = 4;

/** The node that is meant, and what is known of it without asking the machine. */
export interface Found {
  readonly node: string;
  readonly facts: HealthFacts;
  readonly heldBy: string | null;
  /** The instance to ask; null where it cannot be asked. */
  readonly instanceId: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
}

type Service = Away["service"];

const isAway = (answer: object): answer is Away => "service" in answer && "reason" in answer;

/** Asks one service; an Away when it does not answer in so many seconds. */
const from = <T>(service: Service, { cluster }: Configuration, seconds: number, ask: () => Promise<T>) =>
  patiently(seconds * 1_000, ask).catch((error: unknown) =>
    awayOf(service, service === "kubernetes" ? new URL(cluster.apiServer).host : null, error, seconds),
  );

const known = <T extends object>(answer: T | Away): Known<T> =>
  isAway(answer) ? unknown(sentenceOf(answer).replace(/\.$/, "")) : { known: true, value: answer };

const unknown = (why: string): { readonly known: false; readonly why: string } => ({ known: false, why });

/** The node or the machine that is meant. */
interface Meant {
  readonly name: string;
  readonly node: Node | undefined;
  readonly machine: Machine | undefined;
  readonly instanceId: string | null;
}

/** @throws UserError when none or several are meant */
function meantMachine(typed: string, machines: readonly Machine[], commandWord: string): Meant {
  const candidates = machines
    .filter(({ isWindows }) => isWindows === true)
    .map((machine) => ({
      machine,
      name: machine.privateDnsName,
      instanceId: machine.instanceId,
      addresses: [machine.privateIp],
    }));
  const match = nodeMatches(typed, candidates);
  if (match.kind === "none") throw new UserError(noSuchNode(typed, commandWord));
  if (match.kind === "several")
    throw new UserError(
      severalNodes(
        typed,
        match.nodes.map(({ name }) => name),
      ),
    );
  const { machine, name, instanceId } = match.node;
  return { name, node: undefined, machine, instanceId };
}

function meant(
  typed: string,
  nodes: readonly Node[] | Away,
  machines: readonly Machine[] | Away,
  commandWord: string,
): Meant {
  const here = isAway(machines) ? [] : machines;
  const isMachine =
    !isAway(nodes) && typed.startsWith("i-") && !nodes.some((node) => instanceIdOf(node)?.startsWith(typed));
  if (isAway(nodes) || isMachine) return meantMachine(typed, here, commandWord);
  const node = findNode(typed, nodes, commandWord);
  const instanceId = instanceIdOf(node);
  const machine = here.find((one) => one.instanceId === instanceId);
  return { name: node.metadata?.name ?? "", node, machine, instanceId };
}

/** Finds the reason for which the machine cannot be asked; null where it can. IAM refuses a machine that Casement did not launch, whatever is here. */
function obstacle(
  { machine, instanceId }: Meant,
  machines: readonly Machine[] | Away,
  { ssm }: Pick<HealthFacts, "ssm">,
  cluster: string,
): string | null {
  if (instanceId === null) return missing.noInstance;
  if (!isAway(machines) && !machine) return missing.noInstance;
  if (machine && !isOurs(machine, cluster)) return missing.notOurs;
  if (machine && machine.state !== "running") return missing.notRunning(machine.state);
  if (!ssm.known) return ssm.why;
  return ssm.value.registered && ssm.value.online ? null : missing.notAsked;
}

const withoutMachine = (away: Away | null) => (away ? known<never>(away) : unknown(missing.noInstance));

/** The facts of each source about the one that is meant. */
async function factsOf(
  steps: Steps,
  configuration: Configuration,
  { name, node, machine, instanceId }: Meant,
  away: { readonly nodes: Away | null; readonly machines: Away | null },
): Promise<HealthFacts> {
  const ask = <T extends object>(service: Service, work: () => Promise<T>): Promise<Known<T>> =>
    from(service, configuration, ONE_SECONDS, work).then(known);
  const [ec2, ssm, kubernetes] = await Promise.all([
    machine ? ask("ec2", () => steps.health.instance(machine)) : withoutMachine(away.machines),
    instanceId === null ? unknown(missing.noInstance) : ask("ssm", () => steps.health.agent(instanceId)),
    away.nodes ? known<never>(away.nodes) : ask("kubernetes", () => steps.health.node(name, node)),
  ]);
  const { expected } = profileOf(configuration);
  return { now: steps.timestamp(), ec2, ssm, kubernetes, machine: unknown(missing.notYet), expected };
}

/**
 * Collects what EC2, Systems Manager and Kubernetes know of a node; one that is away costs its own facts alone.
 * @returns a message instead where neither the cluster nor EC2 answers
 * @throws UserError when none or several nodes are meant
 */
export async function lookAround(
  steps: Steps,
  typed: string,
  { runtimeVersion, commandWord }: Begun,
): Promise<Found | { readonly message: Message }> {
  const startedAt = steps.timestamp();
  const { configuration } = await steps.runtime.read(runtimeVersion);
  const [nodes, machines] = await Promise.all([
    from("kubernetes", configuration, LIST_SECONDS, () => steps.nodes.all()),
    from("ec2", configuration, LIST_SECONDS, () => steps.instances.ofCluster(configuration.cluster.id)),
  ]);
  if (isAway(nodes) && isAway(machines)) return { message: machinesMessage(nodes, machines, startedAt, commandWord) };
  const one = meant(typed, nodes, machines, commandWord);
  const away = { nodes: isAway(nodes) ? nodes : null, machines: isAway(machines) ? machines : null };
  const facts = await factsOf(steps, configuration, one, away);
  const heldBy = one.instanceId ? ((await steps.leases.holder(one.instanceId)) ?? null) : null;
  const why = obstacle(one, machines, facts, configuration.cluster.name);
  return {
    node: one.name,
    facts: why === null ? facts : { ...facts, machine: unknown(why) },
    heldBy,
    instanceId: why === null ? one.instanceId : null,
    startedAt,
  };
}
