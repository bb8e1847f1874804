import { createHash } from "node:crypto";
import type { RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import type { Configuration, Pool } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import { type NodeWork, workOwner } from "../../records/node-work.ts";
import { clusterTag, TAG } from "../../tags.ts";

/** The image of an operation, read once, because AWS changes the public parameter every month. */
export interface Image {
  /** Name of the public parameter that holds the image's id. */
  readonly parameter: string;
  readonly imageId: string;
}

/** One subnet and instance type to try. The attempt's number, counted from 0, gives each its own ClientToken. */
export interface Candidate {
  readonly attempt: number;
  readonly subnet: string;
  readonly instanceType: string;
}

/**
 * Lists every instance type in every subnet, the preferred type first, because capacity of a type is per zone.
 * @param index number of the node in its operation: each node begins with another subnet, so that nodes spread over
 * zones
 */
export const candidatesOf = (pool: Pool, index: number): Candidate[] =>
  pool.instanceTypes
    .flatMap((instanceType) =>
      pool.subnets.map((_, at) => ({ instanceType, subnet: pool.subnets[(at + index) % pool.subnets.length] ?? "" })),
    )
    .map((place, attempt) => ({ ...place, attempt }));

/**
 * The ClientToken is the same for each attempt of a node, so that a replay finds the instance and launches no second
 * one.
 */
const clientToken = (owner: string, candidate: Candidate): string =>
  createHash("sha256")
    .update([owner, candidate.attempt, candidate.subnet, candidate.instanceType].join("|"))
    .digest("hex");

/**
 * Builds the launch request of one node, with everything that must hold from the instance's first second.
 * @param work names the launch in the ClientToken, and its operation in a tag
 * @throws Refused if the configuration no longer has the pool
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
  const { cluster, machineTags = {} } = configuration;
  const tags = Object.entries({
    ...machineTags,
    Name: `${cluster.name}-${poolName}`,
    [TAG.cluster]: cluster.name,
    [TAG.pool]: poolName,
    [TAG.operation]: work.operation,
    [TAG.launched]: "true",
    [clusterTag(cluster.id)]: "owned",
  }).map(([Key, Value]) => ({ Key, Value }));
  return {
    MinCount: 1,
    MaxCount: 1,
    ClientToken: clientToken(workOwner(work), candidate),
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
