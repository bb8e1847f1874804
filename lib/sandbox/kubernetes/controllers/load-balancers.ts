import type { Firewall, InboundRule, InstanceFacts } from "../../core/ports.ts";
import { at, type KubeObject, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Node } from "../model/shapes.ts";
import { type Cluster, type Controller, keyOf } from "./controller.ts";
import { instanceOf, nodes } from "./nodes.ts";

// k8s.io/cloud-provider/controllers/service, with the AWS provider (kubernetes/cloud-provider-aws pkg/providers/v1).

const services = known("services");

const EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";
const AUTOSCALER_GOES = "ToBeDeletedByClusterAutoscaler";
const TYPE = "service.beta.kubernetes.io/aws-load-balancer-type";

/** Descriptions of the rules that a Network Load Balancer needs (aws.go, NLBClientRuleDescription and its neighbours). */
const NLB = { client: "kubernetes.io/rule/nlb/client", mtu: "kubernetes.io/rule/nlb/mtu" };

const EVERYBODY = "0.0.0.0/0";

/** minRetryDelay and maxRetryDelay of the service controller. */
const FIRST_RETRY = 5_000;
const LAST_RETRY = 300_000;

interface Service extends KubeObject {
  readonly spec: {
    readonly type?: string;
    readonly ports?: readonly { readonly nodePort?: number; readonly protocol?: string }[];
  };
}

const wantsBalancer = (service: Service): boolean => service.spec.type === "LoadBalancer";

const isNetworkBalancer = ({ metadata }: Service): boolean => metadata.annotations?.[TYPE] === "nlb";

/** DefaultLoadBalancerName of k8s.io/cloud-provider: "a" and the uid, at most 32 characters. */
const nameOf = ({ metadata }: Service): string => `a${metadata.uid.replaceAll("-", "")}`.slice(0, 32);

/** strconv.ParseBool: a label that is not a boolean excludes the node, as "true" and the empty text do. */
const isExcluded = ({ metadata }: Node): boolean => {
  const label = metadata.labels?.[EXCLUDED];
  return label !== undefined && !["0", "f", "F", "false", "False", "FALSE"].includes(label);
};

/**
 * Does the node belong behind load balancers (stableNodeSetPredicates)? Readiness and operating system do not matter.
 */
const isBehindBalancers = (node: Node): boolean =>
  Boolean(node.spec?.providerID) &&
  !node.metadata.deletionTimestamp &&
  !isExcluded(node) &&
  !node.spec.taints?.some(({ key }) => key === AUTOSCALER_GOES);

/**
 * Finds the one group of an instance that receives the rules (aws.go, findSecurityGroupForInstance).
 * @throws Error when there are several and not exactly one carries the cluster's tag
 */
function groupFor({ instanceId, groups = [] }: InstanceFacts, firewall: Firewall): string | undefined {
  const isTagged = (group: string): boolean =>
    Object.keys(firewall.tagsOf(group)).some((key) => key.startsWith("kubernetes.io/cluster/"));
  const tagged = groups.filter(isTagged);
  if (tagged.length > 1)
    throw new Error(
      `Multiple tagged security groups found for instance ${instanceId}; ensure only the k8s security group is tagged; the tagged groups were ${tagged.join(" ")}`,
    );
  if (tagged.length === 0 && groups.length > 1)
    throw new Error(
      `Multiple untagged security groups found for instance ${instanceId}; ensure the k8s security group is tagged`,
    );
  return tagged[0] ?? groups[0];
}

/**
 * Rules of a Classic Load Balancer: it has its own group, and all traffic from it is allowed (allProtocols := "-1").
 */
function classicRules(service: Service, firewall: Firewall): InboundRule[] {
  const { name, namespace } = service.metadata;
  const balancer = nameOf(service);
  const description = `Security group for Kubernetes ELB ${balancer} (${namespace}/${name})`;
  return [{ protocol: "-1", source: firewall.group(`k8s-elb-${balancer}`, description, {}) }];
}

/** Rules of a Network Load Balancer: it keeps the clients' addresses, so the node ports are open to all of them. */
function networkRules(service: Service): InboundRule[] {
  const ranges = listOf<string>(at(service, "spec", "loadBalancerSourceRanges"));
  const clients = ranges.length > 0 ? ranges : [EVERYBODY];
  const ports = (service.spec.ports ?? []).flatMap(({ nodePort, protocol = "TCP" }) =>
    nodePort === undefined ? [] : [{ protocol: protocol.toLowerCase(), from: nodePort, to: nodePort }],
  );
  return clients.flatMap((source): InboundRule[] => [
    ...ports.map((port) => ({ ...port, source, description: `${NLB.client}=${nameOf(service)}` })),
    { protocol: "icmp", from: 3, to: 4, source, description: NLB.mtu },
  ]);
}

const isSame = (one: InboundRule, other: InboundRule): boolean =>
  one.protocol === other.protocol && one.from === other.from && one.to === other.to && one.source === other.source;

/** Computes a signature of a Service and its nodes; when it changes, the balancer is updated. */
const signatureOf = ({ metadata, spec }: Service, behind: readonly Node[]): string =>
  JSON.stringify([
    metadata.uid,
    metadata.annotations,
    spec,
    behind.map((node) => `${node.metadata.name} ${node.spec.providerID}`).sort(),
  ]);

interface Synced {
  readonly signature: string;
  /** Number of consecutive failures. */
  readonly failures: number;
  readonly retryAt: number;
}

/** Work done for each Service in this process: after a restart a cloud controller does everything again. */
type SyncState = Map<string, Synced>;

function writeRules(cluster: Cluster, firewall: Firewall, service: Service, behind: readonly Node[]): void {
  const wanted = isNetworkBalancer(service) ? networkRules(service) : classicRules(service, firewall);
  const instances = behind.flatMap((node) => instanceOf(cluster, node) ?? []);
  const groups = new Set(instances.flatMap((instance) => groupFor(instance, firewall) ?? []));
  for (const group of groups) {
    const present = firewall.inbound(group);
    const missing = wanted.filter((rule) => !present.some((one) => isSame(one, rule)));
    if (missing.length > 0) firewall.admit(group, missing);
  }
}

/**
 * The cloud controller's load balancers: puts every node behind each Service of type LoadBalancer and opens the nodes'
 * security groups to the balancer. It runs when a Service or the set of nodes changes, so a removed rule is back with
 * the next node.
 */
export function loadBalancers(cluster: Cluster): Controller {
  const { simulation, objects, record, cloud, region } = cluster;
  const syncState: SyncState = new Map();

  const report = (service: Service): void => {
    const scheme = isNetworkBalancer(service) ? `elb.${region}` : `${region}.elb`;
    const ingress = [{ hostname: `${nameOf(service)}.${scheme}.amazonaws.com` }];
    if (at(service, "status", "loadBalancer", "ingress")) return;
    objects.replace(services, { ...service, status: { loadBalancer: { ingress } } });
  };

  const fail = (service: Service, signature: string, why: string): number => {
    const failures = (syncState.get(service.metadata.uid)?.failures ?? 0) + 1;
    const retryAt = simulation.clock.now() + Math.min(FIRST_RETRY * 2 ** (failures - 1), LAST_RETRY);
    syncState.set(service.metadata.uid, { signature, failures, retryAt });
    record({
      component: "service-controller",
      about: service,
      type: "Warning",
      reason: "SyncLoadBalancerFailed",
      message: `Error syncing load balancer: failed to ensure load balancer: ${why}`,
    });
    return retryAt;
  };

  const sync = (service: Service, firewall: Firewall): number | undefined => {
    const behind = objects.list<Node>(nodes).filter(isBehindBalancers);
    const signature = signatureOf(service, behind);
    const last = syncState.get(service.metadata.uid);
    if (last?.signature === signature && last.failures === 0) return undefined;
    if (last?.signature === signature && simulation.clock.now() < last.retryAt) return last.retryAt;
    try {
      writeRules(cluster, firewall, service, behind);
    } catch (error) {
      return fail(service, signature, error instanceof Error ? error.message : String(error));
    }
    syncState.set(service.metadata.uid, { signature, failures: 0, retryAt: 0 });
    report(service);
    return undefined;
  };

  return {
    name: "service-lb",
    type: services,
    concerns: ({ type }) => (type === nodes ? objects.list<Service>(services).filter(wantsBalancer).map(keyOf) : []),
    reconcile: ({ namespace, name }) => {
      const service = objects.get<Service>(services, namespace, name);
      if (!service || !cloud.firewall || !wantsBalancer(service) || service.metadata.deletionTimestamp)
        return undefined;
      return sync(service, cloud.firewall);
    },
  };
}
