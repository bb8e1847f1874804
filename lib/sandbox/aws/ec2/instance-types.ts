import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";

/** EC2's facts about an instance type. */
export interface InstanceTypeFacts {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly architecture: "x86_64" | "arm64";
  /** Zones that do not offer the type, by the letter at the end of their name. */
  readonly missingIn: readonly string[];
}

/** GiB of memory per vCPU, and the zones without a family (assumed; so that "Unsupported" can happen). */
const families: Readonly<Record<string, { perVcpu: number; architecture?: "arm64"; missingIn?: readonly string[] }>> = {
  m5: { perVcpu: 4 },
  m5a: { perVcpu: 4 },
  m6i: { perVcpu: 4 },
  m6a: { perVcpu: 4 },
  m7i: { perVcpu: 4, missingIn: ["c"] },
  m7a: { perVcpu: 4 },
  m7g: { perVcpu: 4, architecture: "arm64" },
  c5: { perVcpu: 2 },
  c6i: { perVcpu: 2 },
  c7i: { perVcpu: 2 },
  r5: { perVcpu: 8 },
  r6i: { perVcpu: 8 },
  r7i: { perVcpu: 8 },
};

const sizes: Readonly<Record<string, number>> = { large: 2, xlarge: 4, "2xlarge": 8, "4xlarge": 16, "8xlarge": 32 };

/** Burstable types do not follow the arithmetic (Amazon EC2 instance types, "General purpose"). */
const burstable: Readonly<Record<string, readonly [vcpus: number, memoryMiB: number]>> = {
  "t3.medium": [2, 4096],
  "t3.large": [2, 8192],
  "t3.xlarge": [4, 16384],
  "t3.2xlarge": [8, 32768],
};

const ordinary = Object.entries(families).flatMap(([family, facts]) =>
  Object.entries(sizes).map(
    ([size, vcpus]): InstanceTypeFacts => ({
      name: `${family}.${size}`,
      vcpus,
      memoryMiB: vcpus * facts.perVcpu * 1024,
      architecture: facts.architecture ?? "x86_64",
      missingIn: facts.missingIn ?? [],
    }),
  ),
);

const bursting = Object.entries(burstable).map(
  ([name, [vcpus, memoryMiB]]): InstanceTypeFacts => ({
    name,
    vcpus,
    memoryMiB,
    architecture: "x86_64",
    missingIn: [],
  }),
);

/** The types that this simulator offers, by name. */
export const instanceTypes: ReadonlyMap<string, InstanceTypeFacts> = new Map(
  [...ordinary, ...bursting].map((type) => [type.name, type]),
);

/** Does the zone ("us-west-2c") offer the type? */
export const offeredIn = (type: InstanceTypeFacts, zone: string): boolean =>
  !type.missingIn.some((end) => zone.endsWith(end));

/** Describes a type as EC2 does. */
export const describedType = (type: InstanceTypeFacts): InstanceTypeInfo => ({
  InstanceType: type.name as NonNullable<InstanceTypeInfo["InstanceType"]>,
  CurrentGeneration: true,
  SupportedRootDeviceTypes: ["ebs"],
  SupportedVirtualizationTypes: ["hvm"],
  BareMetal: false,
  Hypervisor: "nitro",
  ProcessorInfo: { SupportedArchitectures: [type.architecture] },
  VCpuInfo: { DefaultVCpus: type.vcpus, DefaultCores: type.vcpus / 2, DefaultThreadsPerCore: 2 },
  MemoryInfo: { SizeInMiB: type.memoryMiB },
});
