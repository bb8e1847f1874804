import type { Limit } from "../../core/aws-service.ts";

type Bucket = readonly [capacity: number, refillPerSecond: number];

/** All figures: EC2 Developer Guide, "Request throttling for the Amazon EC2 API". Each action has its own buckets. */
const nonMutating: Bucket = [100, 20];
const unfiltered: Bucket = [50, 10];
const mutating: Bucket = [50, 5];

/** Actions that cost more without a filter and without paging. */
const costlyUnfiltered = new Set([
  "DescribeInstances",
  "DescribeInstanceStatus",
  "DescribeSecurityGroups",
  "DescribeVolumes",
]);

const own: Readonly<Record<string, Bucket>> = {
  CreateTags: [100, 10],
  DeleteTags: [100, 10],
  ModifyInstanceMetadataOptions: [100, 5],
  RunInstances: [5, 2],
  StartInstances: [5, 2],
  TerminateInstances: [100, 5],
};

/** Some actions also draw one token per instance (the same page, "resource rate limiting"). */
const perInstance: Readonly<Record<string, Bucket>> = {
  RunInstances: [1_000, 2],
  StartInstances: [1_000, 2],
  StopInstances: [1_000, 20],
  TerminateInstances: [1_000, 20],
};

/** Is the request filtered or paged? Ids count as a filter (assumed: the page names only pagination and filters). */
const narrowed = (form: URLSearchParams): boolean =>
  [...form.keys()].some((name) => /^(Filter\.|MaxResults$|NextToken$|[A-Za-z]+Id\.)/.test(name));

function requestBucket(action: string, form: URLSearchParams): Bucket {
  const known = own[action];
  if (known) return known;
  if (!/^(Describe|Get|List|Search)/.test(action)) return mutating;
  return costlyUnfiltered.has(action) && !narrowed(form) ? unfiltered : nonMutating;
}

const instanceCount = (form: URLSearchParams): number =>
  Number(form.get("MaxCount")) || [...form.keys()].filter((name) => name.startsWith("InstanceId.")).length;

/** Lists the buckets that a request draws on. */
export function ec2Limits(action: string, form: URLSearchParams): Limit[] {
  const limit = (kind: string, [capacity, refillPerSecond]: Bucket, cost: number): Limit => ({
    bucket: `ec2 ${action} ${kind}`,
    capacity,
    refillPerSecond,
    cost,
  });
  const request = requestBucket(action, form);
  const resources = perInstance[action];
  return [
    limit(request === unfiltered ? "unfiltered" : "requests", request, 1),
    ...(resources ? [limit("resources", resources, instanceCount(form))] : []),
  ];
}
