import type { BlockDeviceMapping } from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import type { ImageFacts } from "./images.ts";

/** A volume that a launch will create. */
export interface VolumePlan {
  readonly device: string;
  readonly size: number;
  readonly type: string;
  readonly iops: number | null;
  readonly throughput: number | null;
  readonly encrypted: boolean;
  /** The key that the request names. */
  readonly keyId: string | null;
  readonly snapshotId: string | null;
  readonly deleteOnTermination: boolean;
}

interface Rules {
  readonly size: readonly [number, number];
  readonly iops?: readonly [number, number];
  readonly throughput?: readonly [number, number];
}

/** GiB, IOPS and MiB/s (EBS User Guide, "Amazon EBS volume types", 2026). */
const rules: Readonly<Record<string, Rules>> = {
  gp3: { size: [1, 65_536], iops: [3_000, 80_000], throughput: [125, 2_000] },
  gp2: { size: [1, 16_384] },
  io2: { size: [4, 65_536], iops: [100, 256_000] },
  io1: { size: [4, 16_384], iops: [100, 64_000] },
  st1: { size: [125, 16_384] },
  sc1: { size: [125, 16_384] },
  standard: { size: [1, 1_024] },
};

const invalid = (message: string): AwsError => new AwsError("InvalidParameterValue", message);

function checkRange(
  name: string,
  value: number | undefined,
  range: readonly [number, number] | undefined,
  type: string,
): void {
  if (value === undefined) return;
  if (!range)
    throw new AwsError("InvalidParameterCombination", `The parameter ${name} is not supported for ${type} volumes.`);
  if (value < range[0] || value > range[1])
    throw invalid(`Volume ${name} of ${value} is out of range for ${type}: ${range[0]} to ${range[1]}.`);
}

function checkFits(size: number, least: number, snapshotId: string | null): void {
  if (snapshotId && size < least)
    throw new AwsError(
      "InvalidBlockDeviceMapping",
      `Volume of size ${size}GB is smaller than snapshot '${snapshotId}', expect size >= ${least}GB`,
    );
}

interface Base {
  readonly device: string;
  readonly snapshotId: string | null;
  readonly size: number | undefined;
}

function planOf(base: Base, ebs: NonNullable<BlockDeviceMapping["Ebs"]>): VolumePlan {
  const type = ebs.VolumeType ?? "gp2";
  const rule = rules[type];
  if (!rule) throw invalid(`Value (${type}) for parameter volumeType is invalid.`);
  const size = ebs.VolumeSize ?? base.size;
  if (size === undefined)
    throw new AwsError("MissingParameter", "The request must contain the parameter size or snapshotId");
  checkRange("size", size, rule.size, type);
  checkRange("iops", ebs.Iops, rule.iops, type);
  checkRange("throughput", ebs.Throughput, rule.throughput, type);
  checkFits(size, base.size ?? 0, base.snapshotId);
  if (ebs.KmsKeyId && !ebs.Encrypted)
    throw new AwsError(
      "InvalidParameterDependency",
      "The parameter KmsKeyId requires the parameter Encrypted to be set.",
    );
  return {
    device: base.device,
    size,
    type,
    iops: ebs.Iops ?? rule.iops?.[0] ?? null,
    throughput: ebs.Throughput ?? rule.throughput?.[0] ?? null,
    encrypted: ebs.Encrypted ?? false,
    keyId: ebs.KmsKeyId ?? null,
    snapshotId: base.snapshotId,
    deleteOnTermination: ebs.DeleteOnTermination ?? true,
  };
}

/**
 * Plans the volumes of a launch: the image's root, changed by the mapping of its device, and those that the mappings
 * add.
 * @throws AwsError for sizes and figures that EBS does not accept
 */
export function volumePlans(image: ImageFacts, mappings: readonly BlockDeviceMapping[] = []): VolumePlan[] {
  const devices = mappings.map((mapping) => mapping.DeviceName);
  if (new Set(devices).size < devices.length)
    throw new AwsError("InvalidBlockDeviceMapping", "The device is used more than once in the block device mappings.");
  const root = mappings.find((mapping) => mapping.DeviceName === image.rootDevice);
  const snapshotId = image.imageId.replace("ami-", "snap-");
  const rootPlan = planOf(
    { device: image.rootDevice, snapshotId, size: image.rootSize },
    { VolumeType: "gp3", ...root?.Ebs },
  );
  const more = mappings
    .filter((mapping) => mapping !== root)
    .map((mapping) =>
      planOf({ device: mapping.DeviceName ?? "", snapshotId: null, size: undefined }, mapping.Ebs ?? {}),
    );
  return [rootPlan, ...more];
}
