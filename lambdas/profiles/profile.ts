import type { AccessNeeds } from "../cluster/cluster-access.ts";
import type { Join } from "../cluster/joining.ts";
import type { Configuration, Pool } from "../configuration/configuration.ts";
import type { ExpectedMachine } from "../health/facts.ts";
import type { PayloadRules } from "../machine/payload.ts";
import type { Action, FileAction } from "../machine/plan.ts";
import type { Port } from "../machine/ports.ts";
import type { Finding } from "../messages/doctor/finding.ts";
import type { FailureCode } from "../records/failures.ts";
import type { StageOf } from "../stages.ts";
import type { MachineSpec } from "./machine-facts.ts";

/** Name of a plan with which a machine joins the cluster; `afterJoin` is the last, `stopKubelet` follows a failure. */
export type PlanName =
  | "guard"
  | "features"
  | "payload"
  | "configure"
  | "start"
  | "rejoin"
  | "network"
  | "afterJoin"
  | "stopKubelet";

/** A doctor check that not every kind of cluster needs; lambdas/steps/doctor/profile-checks.ts runs them. */
export type CheckId =
  | "server-version"
  | "network"
  | "launch-obstacles"
  | "join-account"
  | "machine-approver"
  | "kubelet-versions"
  | "kubelet-clients"
  | "daemonsets"
  | "storage-drivers";

/** An annotation that another controller writes on the Node, and the wait for it. */
export interface AwaitedAnnotation {
  /** Name of the wait, unique in the workflow. */
  readonly name: string;
  readonly annotation: string;
  /** Phrase after "waits for": the program and its task. */
  readonly waitsFor: string;
  /** Code of the failure that the wait becomes at its deadline. */
  readonly code: FailureCode;
}

/** The cluster's DNS Service, whose address kubelets give to pods. */
interface DnsService {
  readonly namespace: string;
  readonly name: string;
  /** The address that nodes are configured with. */
  address(cluster: Pick<Configuration["cluster"], "serviceNetwork" | "dnsAddress">): string;
}

/** The network of pods on Windows. */
interface Network {
  /** The kubelet's `maxPods`: each pod needs an address of its node's share. */
  readonly podsPerNode: number;
  readonly dns: DnsService;
  /** The cluster-wide object that describes it. */
  readonly object: { readonly group: string; readonly version: string; readonly plural: string; readonly name: string };
  /** Compares that object with the configuration. @throws ZodError if it is another object */
  findings(found: unknown, configuration: Pick<Configuration, "cluster">): Finding[];
  /** Annotations that must exist before the plan `network` runs, and annotations that result from it. */
  readonly before: readonly AwaitedAnnotation[];
  readonly after: readonly AwaitedAnnotation[];
}

/**
 * A kind of cluster as one pure value: everything that differs between kinds, as data and functions from facts to data.
 * Workflows and steps use it without knowing the kind's name; `profileOf` in list.ts selects it.
 */
export interface Profile extends PayloadRules, AccessNeeds {
  /** Stages of provisioning that its machines pass, in the order of lambdas/stages.ts. */
  readonly stages: readonly StageOf<"provision">[];
  /** Names SSM's public parameter with the newest image of a Windows release. */
  imageParameter(windows: Pool["windows"]): string;
  /** Lists every port on which a node accepts traffic from its cluster. */
  ports(cluster: Pick<Configuration["cluster"], "hybridOverlayPort">): readonly Port[];
  /** Derives the name of a machine's Node from EC2's description of the instance. */
  nodeName(instance: { readonly privateDnsName: string }): string;
  /**
   * Lists every label of the finished Node that the kubelet does not set automatically.
   * @throws Error if a label of the pool is no valid Kubernetes label
   */
  labels(facts: Pick<MachineSpec, "poolName" | "pool">): Readonly<Record<string, string>>;
  /** Image that every pod on a node needs besides its own; a mirror of its registry must serve it. */
  readonly pauseImage: string;
  readonly join: Join;
  readonly network: Network;
  /**
   * Lists the actions of each plan.
   * @throws Refused if the Windows release does not support the cluster's configuration
   */
  readonly plans: Readonly<Record<PlanName, (facts: MachineSpec) => readonly Action[]>>;
  /** Restart of a node's services: their names in the order in which they start, and the actions. */
  readonly restart: { readonly services: readonly string[]; readonly actions: readonly Action[] };
  /** Writes the file with the authorities of the kubelet's clients, which the cluster replaces while nodes run. */
  kubeletClients(pem: string): FileAction;
  /** Path of the hosts.toml in a registry's folder below containerd's config_path. */
  registryFile(folder: string): string;
  readonly checks: readonly CheckId[];
  /** Services, container network and endpoint that a machine in service must have. */
  readonly expected: ExpectedMachine;
}
