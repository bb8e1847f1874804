import type { InboundRule } from "../../core/ports.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { Collection } from "../../core/store.ts";
import type { Account } from "./account.ts";
import type { VolumePlan } from "./volume-plan.ts";

/** EC2's names of an instance's states. */
export type InstanceState = "pending" | "running" | "shutting-down" | "terminated" | "stopping" | "stopped";

/** Tag keys and values. */
export type Tags = Readonly<Record<string, string>>;

/** Options by which an instance may ask the metadata service (API Reference, InstanceMetadataOptionsRequest). */
export interface MetadataOptions {
  readonly tokens: "optional" | "required";
  readonly hopLimit: number;
  readonly endpoint: "enabled" | "disabled";
  readonly tags: "enabled" | "disabled";
}

/** Reason why a state was entered (API Reference, StateReason). */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** One instance as EC2 keeps it. Times are milliseconds of sandbox time. */
export interface InstanceRecord {
  readonly instanceId: string;
  readonly reservationId: string;
  readonly launchIndex: number;
  readonly clientToken: string | null;
  readonly imageId: string;
  readonly platform: "windows" | "linux";
  readonly build: string | null;
  readonly rootDevice: string;
  readonly instanceType: string;
  readonly subnetId: string;
  readonly zone: string;
  readonly privateIp: string;
  readonly privateDnsName: string;
  /** Whether its subnet assigns public addresses, or its launch requested one. */
  readonly isPublic?: boolean;
  readonly mac: string;
  readonly interfaceId: string;
  readonly attachmentId: string;
  readonly interfaceTags: Tags;
  readonly groups: readonly string[];
  readonly profileArn: string | null;
  readonly userData: string | null;
  readonly shutdownBehavior: "stop" | "terminate";
  launchedAt: number;
  state: InstanceState;
  /** The next state and its time. */
  next: { state: InstanceState; at: number; reason: Reason | null } | null;
  stateReason: Reason | null;
  transitionReason: string;
  /** Time until which calls may miss it: EC2 is eventually consistent. */
  readonly visibleAt: number;
  runningSince: number | null;
  /** Time from which a terminated instance is forgotten; null before it is terminated. */
  forgetAt: number | null;
  metadata: MetadataOptions;
  protected: boolean;
  tags: Tags;
}

/** One EBS volume. */
export interface VolumeRecord extends VolumePlan {
  readonly volumeId: string;
  readonly instanceId: string;
  readonly zone: string;
  readonly createdAt: number;
  /** False once it outlived its instance. */
  attached: boolean;
  tags: Tags;
}

/** A client token that was used, with the fingerprint of its request. */
export interface TokenRecord {
  readonly fingerprint: string;
  readonly reservationId: string;
  readonly instanceIds: readonly string[];
}

/** A security group that was created after the account. */
export interface GroupRecord {
  readonly groupId: string;
  readonly name: string;
  readonly description: string;
  readonly tags: Tags;
}

/** EC2's stored records, with the account and the simulation that they belong to. */
export interface Ec2Records {
  readonly simulation: Simulation;
  readonly account: Account;
  readonly instances: Collection<InstanceRecord>;
  readonly volumes: Collection<VolumeRecord>;
  readonly tokens: Collection<TokenRecord>;
  readonly groups: Collection<GroupRecord>;
  /** Inbound rules by group id, of groups whose rules were changed. */
  readonly inbound: Collection<readonly InboundRule[]>;
  /** Whether a subnet assigns public addresses, by subnet id. */
  readonly publicSubnets: Collection<boolean>;
}

/** Opens EC2's records in the simulator's store. */
export const ec2Records = (simulation: Simulation, account: Account): Ec2Records => ({
  simulation,
  account,
  instances: simulation.store.collection("ec2-instances"),
  volumes: simulation.store.collection("ec2-volumes"),
  tokens: simulation.store.collection("ec2-tokens"),
  groups: simulation.store.collection("ec2-groups"),
  inbound: simulation.store.collection("ec2-inbound"),
  publicSubnets: simulation.store.collection("ec2-public-subnets"),
});

/** Volumes of an instance that are attached to it, the root volume first. */
export const volumesOf = (records: Ec2Records, instanceId: string): VolumeRecord[] =>
  records.volumes.values().filter((volume) => volume.instanceId === instanceId && volume.attached);

/** Lists the addresses in use: an instance releases its address when it is terminated. */
export const takenAddresses = (records: Ec2Records): Set<string> =>
  new Set(
    records.instances
      .values()
      .filter((instance) => instance.state !== "terminated")
      .map((instance) => instance.privateIp),
  );
