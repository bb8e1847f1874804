import {
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcAttributeCommand,
  GetEbsDefaultKmsKeyIdCommand,
} from "@aws-sdk/client-ec2";
import {
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
} from "@aws-sdk/client-s3";
import { DescribeDocumentCommand } from "@aws-sdk/client-ssm";
import type { Configuration } from "../../configuration/configuration.ts";
import { brokenPrograms, endedPrograms } from "../../machine/payload-support.ts";
import { balancerPorts, securityGroupFaults } from "../../machine/ports.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import type { DocumentScript } from "../../scripts/documents.ts";
import { wordsOf } from "../client-errors.ts";
import { timestamp } from "../context.ts";
import { instances } from "../ec2/instances.ts";
import { tableClient } from "../ledger/table.ts";
import { documentOf } from "../machine/machine.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";
import { skewFinding } from "./clock.ts";
import { customerKey } from "./key.ts";

/** Error codes for "not found": those of EC2 share an ending, SSM has one per kind. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && /\.NotFound$|^InvalidGroup|^InvalidDocument$|^ParameterNotFound$/.test(error.name);

/** Groups pools by what they use: a subnet, an image. */
function byUse(
  { pools }: Configuration,
  used: (pool: Configuration["pools"][string]) => readonly string[],
): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [name, pool] of Object.entries(pools))
    for (const one of used(pool)) users.set(one, [...(users.get(one) ?? []), name]);
  return users;
}

/** Warn below this many free addresses: a pool launches several nodes together. */
const FEW_ADDRESSES = 5;

async function subnet({ context }: DoctorFacts, id: string, pools: readonly string[]): Promise<Finding[]> {
  try {
    const { Subnets } = await context.clients.ec2.send(new DescribeSubnetsCommand({ SubnetIds: [id] }));
    const free = Subnets?.[0]?.AvailableIpAddressCount ?? 0;
    return free < FEW_ADDRESSES ? [{ kind: "subnet-full", subnet: id, pools, free }] : [];
  } catch (error) {
    if (isMissing(error)) return [{ kind: "subnet-missing", subnet: id, pools }];
    throw error;
  }
}

async function subnets(patient: DoctorFacts): Promise<Finding[]> {
  const used = [...byUse(patient.configuration, ({ subnets: own }) => own)];
  return (await Promise.all(used.map(([id, pools]) => subnet(patient, id, pools)))).flat();
}

/** Checks the VPC's switches without which a new instance gets no private DNS name: its Node is named by it. */
async function vpcDns({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const { ec2 } = context.clients;
  const SubnetIds = [...byUse(configuration, ({ subnets: own }) => own).keys()];
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({ SubnetIds }));
  const vpcs = new Set(Subnets.flatMap(({ VpcId }) => VpcId ?? []));
  const found: Finding[] = [];
  for (const VpcId of vpcs)
    for (const Attribute of ["enableDnsSupport", "enableDnsHostnames"] as const) {
      const answer = await ec2.send(new DescribeVpcAttributeCommand({ VpcId, Attribute }));
      if ((answer.EnableDnsSupport ?? answer.EnableDnsHostnames)?.Value === false)
        found.push({ kind: "vpc-dns", vpc: VpcId, attribute: Attribute });
    }
  return found;
}

async function securityGroup({ context, configuration, profile }: DoctorFacts, group: string): Promise<Finding[]> {
  const ports = profile.ports(configuration.cluster);
  try {
    const { SecurityGroups } = await context.clients.ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: [group] }));
    const [found = {}] = SecurityGroups ?? [];
    const faults = securityGroupFaults(found, ports);
    const opened = balancerPorts(found);
    return [
      ...(faults.length > 0 ? [{ kind: "security-group", group, faults } as const] : []),
      ...(opened.length > 0 ? [{ kind: "balancer-ports", group, ports: opened } as const] : []),
    ];
  } catch (error) {
    if (isMissing(error)) return [{ kind: "security-group", group, faults: ["it does not exist"] }];
    throw error;
  }
}

async function securityGroups(patient: DoctorFacts): Promise<Finding[]> {
  const used = [...byUse(patient.configuration, ({ securityGroup: own }) => [own]).keys()];
  return (await Promise.all(used.map((group) => securityGroup(patient, group)))).flat();
}

async function images({ context, configuration, profile }: DoctorFacts): Promise<Finding[]> {
  const chosen = Object.entries(configuration.pools).map(async ([pool, { windows }]): Promise<Finding[]> => {
    try {
      await instances(context).image(profile.imageParameter(windows));
      return [];
    } catch (error) {
      if (isMissing(error)) return [{ kind: "image-missing", pool, why: wordsOf(error) }];
      throw error;
    }
  });
  return (await Promise.all(chosen)).flat();
}

async function documents({ context }: DoctorFacts): Promise<Finding[]> {
  const named = Object.keys(context.settings.documents).map(async (script): Promise<Finding[]> => {
    const { DocumentName: name, DocumentHash: wanted } = documentOf(context.settings, script as DocumentScript);
    try {
      const { Document } = await context.clients.ssm.send(new DescribeDocumentCommand({ Name: name }));
      return Document?.Hash === wanted ? [] : [{ kind: "document-changed", script, name }];
    } catch (error) {
      if (isMissing(error)) return [{ kind: "document-missing", script, name }];
      throw error;
    }
  });
  return (await Promise.all(named)).flat();
}

/**
 * Lists the versions of every object below payload/, by key. A deleted object is not listed, although its versions
 * still exist.
 */
async function versionsInBucket({ context }: DoctorFacts): Promise<Set<string>> {
  const found = new Set<string>();
  let page: ListObjectVersionsCommandInput | null = { Bucket: context.settings.bucket, Prefix: "payload/" };
  while (page) {
    const answer: ListObjectVersionsCommandOutput = await context.clients.s3.send(new ListObjectVersionsCommand(page));
    for (const { Key, VersionId, Size } of answer.Versions ?? []) found.add(`${Key} ${VersionId} ${Size}`);
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = answer;
    page = answer.IsTruncated ? { ...page, KeyMarker, VersionIdMarker } : null;
  }
  return found;
}

async function payload(patient: DoctorFacts): Promise<Finding[]> {
  const { payload: manifest, configuration, context } = patient;
  const there = await versionsInBucket(patient);
  const files = manifest.files
    .filter(({ key, versionId, size }) => !there.has(`${key} ${versionId} ${size}`))
    .map(({ name }) => name);
  const configured = configuration.cluster.version;
  const faults = brokenPrograms(manifest.files, configured);
  const ended = endedPrograms(manifest.files, timestamp(context).slice(0, 10));
  return [
    ...(files.length === 0 ? [] : [{ kind: "payload-missing", files } as const]),
    ...(manifest.kubernetes === configured
      ? []
      : [{ kind: "payload-version", payload: manifest.kubernetes, configured } as const]),
    ...(faults.length === 0 ? [] : [{ kind: "payload-unusable", faults } as const]),
    ...(ended.length === 0 ? [] : [{ kind: "payload-ended", faults: ended } as const]),
  ];
}

/**
 * Checks the key of the volumes. A launch that names no key uses the account's default key, and IAM lets Casement use a
 * customer-managed key only if the configuration names it.
 */
async function volumeKey({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const { KmsKeyId: key = "" } = await context.clients.ec2.send(new GetEbsDefaultKmsKeyIdCommand({}));
  const isAmazons = key === "" || key.endsWith("alias/aws/ebs");
  return configuration.volumeKey || isAmazons ? [] : [{ kind: "volume-key", key }];
}

/** Checks the subscribers of the alarm topic. Without a confirmed subscription, alarms and pages reach nobody. */
async function subscribers({ context }: DoctorFacts): Promise<Finding[]> {
  const { humanTopic } = context.settings;
  if (!humanTopic) return [];
  const { confirmed, pending } = await context.clients.subscriptions(humanTopic);
  if (confirmed.length === 0) return [{ kind: "no-subscriber", pending }];
  return pending.length === 0 ? [] : [{ kind: "unconfirmed", pending, confirmed }];
}

/** Checks that the ledger's table answers. Any item will do. */
async function ledgerAnswers({ context }: DoctorFacts): Promise<Finding[]> {
  await tableClient(context).read({ pk: "doctor", sk: "is-there" });
  return [];
}

/**
 * Checks this process's clock against the date of EC2's answer. This clock dates AWS signatures, and AWS accepts a
 * difference of at most five minutes.
 * @throws the error of EC2's client
 */
async function clock({ context }: DoctorFacts): Promise<Finding[]> {
  const command = new DescribeSubnetsCommand({ MaxResults: 5 });
  let date: string | undefined;
  command.middlewareStack.add(
    (next) => async (input) => {
      const answer = await next(input);
      date = (answer.response as { headers?: Record<string, string> }).headers?.date;
      return answer;
    },
    { step: "deserialize", name: "readDate", override: true },
  );
  await context.clients.ec2.send(command);
  return skewFinding("AWS", date, Date.now());
}

/** Checks of everything in the account that adding a node depends on. */
export const accountChecks: readonly DoctorCheck[] = [
  { area: "AWS", what: "the ledger", observe: ledgerAnswers },
  { area: "AWS", what: "the subnets", observe: subnets },
  { area: "AWS", what: "the VPC's DNS", observe: vpcDns },
  { area: "AWS", what: "the security groups", observe: securityGroups },
  { area: "AWS", what: "the key of volumes", observe: volumeKey },
  { area: "AWS", what: "the key of ledger, bucket and secrets", observe: customerKey },
  { area: "AWS", what: "the Windows images", observe: images },
  { area: "AWS", what: "the SSM documents", observe: documents },
  { area: "AWS", what: "the payload in the bucket", observe: payload },
  { area: "AWS", what: "the alarm subscriptions", observe: subscribers },
  { area: "AWS", what: "the clock", observe: clock },
];
