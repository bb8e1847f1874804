import {
  type _InstanceType,
  DescribeInstanceTypesCommand,
  type EC2Client,
  paginateDescribeInstances,
} from "@aws-sdk/client-ec2";
import { z } from "zod";
import { type AwsCall, isAws, jsonRequest } from "../../lambdas/clients/aws-call.ts";

/** vCPUs of on-demand instances of the usual families in a region. */
export interface Vcpus {
  /** Number that the account may run. */
  readonly quota: number;
  /** Number that runs. */
  readonly running: number;
}

/** Code of "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances" (EC2 User Guide, "On-Demand Instance quotas"). */
const QUOTA = { ServiceCode: "ec2", QuotaCode: "L-1216C47A" };

/** Is the type of a family of that quota? DL, Inf, Mac, Trn and others have their own. */
export const isStandard = (type: string): boolean => /^(?!dl)[acdhimrtz][a-z]?\d/.test(type);

const answered = z.object({ Quota: z.object({ Value: z.number() }) });

/** Reads the quota: the account's own value, or AWS's default where none was applied (API Reference, GetServiceQuota). */
async function quotaOf(call: AwsCall): Promise<number> {
  const ask = (action: string): ReturnType<AwsCall> =>
    call(jsonRequest("servicequotas", `ServiceQuotasV20190624.${action}`, QUOTA));
  const own = await ask("GetServiceQuota").catch((error: unknown) => {
    if (isAws(error, "NoSuchResourceException")) return ask("GetAWSDefaultServiceQuota");
    throw error;
  });
  return answered.parse(own).Quota.Value;
}

/** Lists the types of the on-demand instances that use vCPUs of the quota. */
async function runningTypes(ec2: EC2Client): Promise<_InstanceType[]> {
  const types: _InstanceType[] = [];
  const Filters = [{ Name: "instance-state-name", Values: ["pending", "running"] }];
  for await (const { Reservations = [] } of paginateDescribeInstances({ client: ec2 }, { Filters }))
    for (const { Instances = [] } of Reservations)
      for (const { InstanceType: type, InstanceLifecycle: lifecycle } of Instances)
        if (type && lifecycle === undefined && isStandard(type)) types.push(type);
  return types;
}

/** Reads how many vCPUs the account may run, and how many run. */
export async function vcpusOf(ec2: EC2Client, call: AwsCall): Promise<Vcpus> {
  const [quota, types] = await Promise.all([quotaOf(call), runningTypes(ec2)]);
  const InstanceTypes = [...new Set(types)];
  const described =
    InstanceTypes.length > 0 ? await ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes })) : undefined;
  const each = new Map(described?.InstanceTypes?.map((one) => [one.InstanceType, one.VCpuInfo?.DefaultVCpus ?? 0]));
  return { quota, running: types.reduce((sum, type) => sum + (each.get(type) ?? 0), 0) };
}
