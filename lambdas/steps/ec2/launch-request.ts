import { createHash } from "node:crypto";
import type { RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import type { Configuration, Pool } from "../../configuration.ts";
import { Refused } from "../../errors.ts";
import { type NodeWork, ownerOf } from "../../node-work.ts";
import { clusterTag, TAG } from "../../tags.ts";

/** The image an operation uses: resolved once, because the public parameter moves monthly. */
export interface Image {
  /** Name of the public parameter that it was read from. */
  readonly parameter: string;
  readonly imageId: string;
}

/** One subnet and instance type to try; the attempt number, counted from 0, makes each its own ClientToken. */
export interface Candidate {
  readonly attempt: number;
  readonly subnet: string;
  readonly instanceType: string;
}

/**
 * Every instance type in every subnet, the preferred type first: capacity of a type is per zone.
 * @param index of the node in its operation: each node begins with another subnet, so that nodes spread over zones
 */
export const candidatesOf = (pool: Pool, index: number): Candidate[] =>
  pool.instanceTypes
    .flatMap((instanceType) =>
      pool.subnets.map((_, at) => ({ instanceType, subnet: pool.subnets[(at + index) % pool.subnets.length] ?? "" })),
    )
    .map((place, attempt) => ({ ...place, attempt }));

/** The same attempt of the same node always has the same token: a replay finds the instance instead of a second one. */
const clientToken = (owner: string, candidate: Candidate): string =>
  createHash("sha256")
    .update([owner, candidate.attempt, candidate.subnet, candidate.instanceType].join("|"))
    .digest("hex");

/**
 * The launch request of one node: everything that must be true from the first second is in it.
 * @param work names the launch in the ClientToken, and its operation in a tag
 * @throws Refused when the configuration has no such pool any more
 */
export function launchRequest(
  configuration: Configuration,
  poolName: string,
  work: NodeWork,
  image: Image,
  candidate: Candidate,
): RunInstancesCommandInput {
  const pool = configuration.pools[poolName];
  if (!pool) throw new Refused(`pool ${poolName} was removed from the configuration`);
  const tags = [
    { Key: "Name", Value: `${configuration.cluster.name}-${poolName}` },
    { Key: TAG.cluster, Value: configuration.cluster.name },
    { Key: TAG.pool, Value: poolName },
    { Key: TAG.operation, Value: work.operation },
    { Key: TAG.launched, Value: "true" },
    { Key: clusterTag(configuration.cluster.id), Value: "owned" },
  ];
  return {
    MinCount: 1,
    MaxCount: 1,
    ClientToken: clientToken(ownerOf(work), candidate),
    ImageId: image.imageId,
    InstanceType: candidate.instanceType as RunInstancesCommandInput["InstanceType"],
    SubnetId: candidate.subnet,
    SecurityGroupIds: [pool.securityGroup],
    IamInstanceProfile: { Arn: configuration.instanceProfileArn },
    MetadataOptions: { HttpEndpoint: "enabled", HttpTokens: pool.metadataTokens, HttpPutResponseHopLimit: 1 },
    InstanceInitiatedShutdownBehavior: "stop",
    BlockDeviceMappings: [
      {
        DeviceName: "/dev/sda1",
        Ebs: {
          VolumeType: "gp3",
          VolumeSize: pool.diskGiB,
          Encrypted: true,
          ...(configuration.volumeKey ? { KmsKeyId: configuration.volumeKey } : {}),
          DeleteOnTermination: true,
        },
      },
    ],
    TagSpecifications: [
      { ResourceType: "instance", Tags: tags },
      { ResourceType: "volume", Tags: tags },
    ],
  };
}
