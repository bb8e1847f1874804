import { z } from "zod";
import { AwsError } from "../core/aws-service.ts";
import type { Cloud } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import type { AgentFacts } from "../machine/ssm-backend.ts";
import type { ManagedInstance } from "./model.ts";
import { pageOf } from "./paging.ts";

/** Machines whose agent has registered. */
export interface ManagedInstances {
  get(instanceId: string): ManagedInstance | undefined;
  ping(instanceId: string, facts: AgentFacts): void;
  forget(instanceId: string): void;
  /** Every registered machine with its ping status. */
  pings(): { readonly instanceId: string; readonly pingStatus: string }[];
  describe(input: DescribeInput): { readonly InstanceInformationList: readonly object[]; readonly NextToken?: string };
}

/** An agent sends a heartbeat every five minutes; after five missed ones its connection is lost (assumed). */
const LOST_MS = 25 * 60_000;

const values = z.array(z.string()).min(1).max(100);

/** Input of DescribeInstanceInformation; lengths and ranges are those of the API reference. */
export const describeInput = z
  .strictObject({
    Filters: z.array(z.object({ Key: z.string().min(1), Values: values })).optional(),
    InstanceInformationFilterList: z.array(z.object({ key: z.string(), valueSet: values })).optional(),
    MaxResults: z.number().int().min(5).max(50).default(50),
    NextToken: z.string().optional(),
  })
  .refine((input) => !(input.Filters && input.InstanceInformationFilterList), {
    message: "Filters and InstanceInformationFilterList can't be used together",
  });

type DescribeInput = z.output<typeof describeInput>;

interface Filter {
  readonly key: string;
  readonly values: readonly string[];
}

const filtersOf = (input: DescribeInput): Filter[] => [
  ...(input.Filters ?? []).map((one) => ({ key: one.Key, values: one.Values })),
  ...(input.InstanceInformationFilterList ?? []).map((one) => ({ key: one.key, values: one.valueSet })),
];

/** Opens the list of registered machines. */
export function openManagedInstances(simulation: Simulation, cloud: Cloud): ManagedInstances {
  const stored: Collection<ManagedInstance> = simulation.store.collection("ssm-instances");

  const pingStatus = (one: ManagedInstance): string =>
    simulation.clock.now() - one.lastPingAt > LOST_MS ? "ConnectionLost" : "Online";

  const none = (): string => "";
  /** API reference, InstanceInformationStringFilter; a field that these machines lack matches nothing. */
  const fields: Readonly<Record<string, (one: ManagedInstance) => string>> = {
    ActivationIds: none,
    AssociationStatus: none,
    IamRole: none,
    SourceIds: none,
    SourceTypes: none,
    InstanceIds: (one) => one.instanceId,
    PingStatus: pingStatus,
    PlatformTypes: () => "Windows",
    AgentVersion: (one) => one.agentVersion,
    ResourceType: () => "EC2Instance",
  };

  const matches = (one: ManagedInstance, { key, values: wanted }: Filter): boolean => {
    const tags = cloud.instance(one.instanceId)?.tags ?? {};
    if (key.startsWith("tag:")) return wanted.includes(tags[key.slice("tag:".length)] ?? "");
    if (key === "tag-key") return wanted.some((name) => name in tags);
    const field = fields[key];
    if (!field) throw new AwsError("InvalidFilterKey", `The filter key ${key} isn't valid.`);
    return wanted.includes(field(one));
  };

  const shape = (one: ManagedInstance): object => ({
    InstanceId: one.instanceId,
    PingStatus: pingStatus(one),
    LastPingDateTime: one.lastPingAt / 1000,
    AgentVersion: one.agentVersion,
    IsLatestVersion: false,
    PlatformType: "Windows",
    PlatformName: one.platformName,
    PlatformVersion: one.platformVersion,
    ResourceType: "EC2Instance",
    IPAddress: one.ipAddress,
    ComputerName: one.computerName,
  });

  return {
    get: (instanceId) => stored.get(instanceId),
    ping: (instanceId, facts) => {
      const now = simulation.clock.now();
      const registeredAt = stored.get(instanceId)?.registeredAt ?? now;
      stored.set(instanceId, { instanceId, registeredAt, lastPingAt: now, ...facts });
    },
    pings: () => stored.values().map((one) => ({ instanceId: one.instanceId, pingStatus: pingStatus(one) })),
    forget: (instanceId) => stored.delete(instanceId),
    describe: (input) => {
      const filters = filtersOf(input);
      const found = stored.values().filter((one) => filters.every((filter) => matches(one, filter)));
      const { items, ...next } = pageOf(found, input.MaxResults, input.NextToken);
      return { InstanceInformationList: items.map(shape), ...next };
    },
  };
}
