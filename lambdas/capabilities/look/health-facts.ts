import type { Configuration } from "../../configuration/configuration.ts";
import type { HealthFacts, SourceFacts } from "../../health/facts.ts";
import { sentenceOf, type UnavailableService } from "../../messages/node/away.ts";
import { missing } from "../../messages/node/why.ts";
import { profileOf } from "../../profiles/list.ts";
import { awayOf } from "../../steps/away.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";

/** Seconds in which a service must answer about one node. */
const ONE_SECONDS = 4;

type Service = UnavailableService["service"];

/** Is the answer a report that the service is unavailable? */
export const isAway = (answer: object): answer is UnavailableService => "service" in answer && "reason" in answer;

/** Asks one service. @returns its answer, or an UnavailableService when it fails or takes more than these seconds */
export const from = <T>(service: Service, { cluster }: Configuration, seconds: number, ask: () => Promise<T>) =>
  patiently(seconds * 1_000, ask).catch((error: unknown) =>
    awayOf(service, service === "kubernetes" ? new URL(cluster.apiServer).host : null, error, seconds),
  );

const known = <T extends object>(answer: T | UnavailableService): SourceFacts<T> =>
  isAway(answer) ? unknownFacts(sentenceOf(answer).replace(/\.$/, "")) : { known: true, value: answer };

/** Marks a source as unknown. @param why follows "Not known:" in a message */
export const unknownFacts = (why: string): { readonly known: false; readonly why: string } => ({ known: false, why });

/** The node whose facts are collected, with what is known of it already. */
export interface HealthSubject {
  readonly name: string;
  /** Undefined for a machine without a Node. */
  readonly node: Node | undefined;
  readonly machine: Machine | undefined;
  readonly instanceId: string | null;
}

/** Services that did not answer for their lists, so that they are not asked again. */
export interface SilentServices {
  readonly nodes: UnavailableService | null;
  readonly machines: UnavailableService | null;
}

const withoutMachine = (away: UnavailableService | null) =>
  away ? known<never>(away) : unknownFacts(missing.noInstance);

/**
 * Collects what EC2, Systems Manager and Kubernetes know of one node; an unavailable service only omits its own facts.
 * Belongs into a step. `observeMachine` adds the facts of the machine itself.
 */
export async function factsOf(
  steps: Steps,
  configuration: Configuration,
  { name, node, machine, instanceId }: HealthSubject,
  silent: SilentServices = { nodes: null, machines: null },
): Promise<HealthFacts> {
  const ask = <T extends object>(service: Service, work: () => Promise<T>): Promise<SourceFacts<T>> =>
    from(service, configuration, ONE_SECONDS, work).then(known);
  const [ec2, ssm, kubernetes] = await Promise.all([
    machine ? ask("ec2", () => steps.health.instance(machine)) : withoutMachine(silent.machines),
    instanceId === null ? unknownFacts(missing.noInstance) : ask("ssm", () => steps.health.agent(instanceId)),
    silent.nodes ? known<never>(silent.nodes) : ask("kubernetes", () => steps.health.node(name, node)),
  ]);
  const { expected } = profileOf(configuration);
  return { now: steps.timestamp(), ec2, ssm, kubernetes, machine: unknownFacts(missing.notYet), expected };
}
