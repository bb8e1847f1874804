import type { WireRequest, WireResponse } from "./wire.ts";

/** The simulated API server, called in process. Without a certificate the bearer token of the request counts. */
export interface KubernetesApi {
  answer(request: WireRequest, tls?: { readonly clientCertificate: string }): Promise<WireResponse>;
}

/** Answer of a kubelet to a call of the API server on port 10250. */
export type KubeletAnswer =
  | "answers"
  /** It does not trust the authority behind the API server's client certificate. */
  | "unauthorized"
  /** It has no serving certificate: the handshake ends with "tls: internal error". */
  | "no-certificate"
  /** Nothing listens. */
  | "unreachable";

/** Abilities of the pods on a machine. */
export interface DataPlane {
  /** Do packets of pods on other nodes arrive? */
  readonly isReached: boolean;
  /** Do packets of the host itself arrive, such as those of the kubelet's probes? */
  readonly isReachedByHost: boolean;
  /** Milliseconds since the epoch at which their network was made: pods that started before have none. */
  readonly podsSince: number;
  /** Do addresses of services answer, that of the cluster's DNS among them? */
  readonly reachesServices: boolean;
  readonly reachesMetadata: boolean;
  /** Do hosts outside of the cluster answer? */
  readonly reachesOutside: boolean;
}

/** A pod that runs on a node in the pods' network. */
export interface NetworkedPod {
  readonly name: string;
  readonly ip: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** End of a pull of an image. */
export type ImagePull =
  | { readonly pulled: true }
  | {
      readonly pulled: false;
      /** In the words of containerd. */
      readonly error: string;
      /** Milliseconds for which a silent registry held it. */
      readonly heldMs: number;
    };

/** Images of a machine, as its kubelet asks the container runtime for them. */
export interface Images {
  isPresent(image: string): boolean;
  pull(image: string): ImagePull;
}

/** The kubelets of the simulated Windows machines. */
export interface Kubelets {
  /**
   * Calls the kubelet behind an address.
   * @param clientCertificate PEM, as the API server shows it
   * @returns undefined where the sandbox simulates no machine
   */
  answer(address: string, clientCertificate: string): KubeletAnswer | undefined;
  /** Tells what pods on an instance can do; undefined where the sandbox simulates no machine. */
  dataPlane?(instanceId: string): DataPlane | undefined;
  /** Finds the images of an instance; undefined where the sandbox simulates no machine. */
  images?(instanceId: string): Images | undefined;
}

/** Consoles of the simulated Windows machines. */
export interface Screens {
  /** Shows what a machine's console shows now, as a JPEG; undefined where the sandbox simulates no machine, or one without power. */
  of(instanceId: string): Uint8Array | undefined;
}

/** Facts that EC2 knows of an instance; the metadata service and the cloud controller manager among others need them. */
export interface InstanceFacts {
  readonly instanceId: string;
  /** pending, running, shutting-down, terminated, stopping, stopped */
  readonly state: string;
  readonly imageId: string;
  /** "windows" or "linux" */
  readonly platform: "windows" | "linux";
  /** Windows images: "10.0.20348". */
  readonly build: string | null;
  readonly instanceType: string;
  readonly zone: string;
  readonly privateIp: string;
  readonly privateDnsName: string;
  readonly mac: string;
  /** Address of the subnet's router, x.y.z.1. */
  readonly gateway: string;
  readonly subnetCidr: string;
  readonly instanceProfileArn: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** Public address: present where the subnet assigns one, and while the instance has it. */
  readonly publicIp?: string;
  readonly publicDnsName?: string;
  /** Ids of its security groups. */
  readonly groups?: readonly string[];
}

/** An inbound rule of a security group for one source: a network, another group or a prefix list. */
export interface InboundRule {
  /** "tcp", "udp", "icmp" or a number; "-1" is every protocol with every port. */
  readonly protocol: string;
  readonly from?: number;
  readonly to?: number;
  readonly source: string;
  readonly description?: string;
}

/** The account's security groups, as the cloud controller works on them with its own role. */
export interface Firewall {
  /** The id of the group of that name, which is made unless it is there. */
  group(name: string, description: string, tags: Readonly<Record<string, string>>): string;
  tagsOf(groupId: string): Readonly<Record<string, string>>;
  inbound(groupId: string): readonly InboundRule[];
  admit(groupId: string, rules: readonly InboundRule[]): void;
  withdraw(groupId: string, rules: readonly InboundRule[]): void;
}

/** EC2 seen from inside the simulator, without signatures and throttles. */
export interface Cloud {
  instance(instanceId: string): InstanceFacts | undefined;
  instances(): InstanceFacts[];
  /** The operating system asked for it ("shutdown /s"): EC2 moves to stopping. A reboot of the OS is not seen by EC2. */
  shutDownByGuest(instanceId: string): void;
  /** Default: security groups are not simulated. */
  readonly firewall?: Firewall;
}

/** Reads of a machine with its own role; each call throws AwsError as the service would. */
export interface InstanceRole {
  readObject(instanceId: string, bucket: string, key: string, version: string): Promise<Uint8Array>;
  /** @param version VersionId; by default the current version */
  readSecret(instanceId: string, secretId: string, version?: string): Promise<string>;
  /** Asks ECR for the password of its registries in a region: base64 of user and password. */
  registryPassword(instanceId: string, region: string): Promise<string>;
}
