import type { WireRequest, WireResponse } from "./wire.ts";

/** The simulated API server, called in process. Without a certificate the bearer token of the request counts. */
export interface KubernetesApi {
  answer(request: WireRequest, tls?: { readonly clientCertificate: string }): Promise<WireResponse>;
}

/** What EC2 knows of an instance and others of the ground need: the metadata service, the cloud controller manager. */
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
}

/** EC2 seen from inside the ground, without signatures and throttles. */
export interface Cloud {
  instance(instanceId: string): InstanceFacts | undefined;
  instances(): InstanceFacts[];
  /** The operating system asked for it ("shutdown /s"): EC2 moves to stopping. A reboot of the OS is not seen by EC2. */
  shutDownByGuest(instanceId: string): void;
}

/** What a machine reads with its own role; each call throws AwsError as the service would. */
export interface InstanceRole {
  readObject(instanceId: string, bucket: string, key: string, version: string): Promise<Uint8Array>;
  readSecret(instanceId: string, secretId: string): Promise<string>;
}
