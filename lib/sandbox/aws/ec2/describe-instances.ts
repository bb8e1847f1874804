import {
  DescribeInstanceStatus$,
  type DescribeInstanceStatusRequest,
  type DescribeInstanceStatusResult,
  DescribeInstances$,
  type DescribeInstancesRequest,
  type DescribeInstancesResult,
  type InstanceStatus,
  type InstanceStatusEvent,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import { type Ec2Action, ec2Action } from "./action.ts";
import { instanceFields } from "./filter-fields.ts";
import { type FilterFields, filtered, paged, readingAs } from "./filters.ts";
import { instancesById, isSeen } from "./find.ts";
import type { Ec2Records, InstanceRecord } from "./records.ts";
import { describedInstance, describedReservation, describedState } from "./view.ts";

const fields = (records: Ec2Records): FilterFields<InstanceRecord> => ({
  ...readingAs(instanceFields, (instance: InstanceRecord) => describedInstance(records, instance)),
  "owner-id": () => [records.account.accountId],
  "reservation-id": (instance) => [instance.reservationId],
});

const tagsOf = (instance: InstanceRecord): InstanceRecord["tags"] => instance.tags;

/**
 * Selects instances by id, or all that are visible; ids and a page size exclude each other (API Reference,
 * DescribeInstances).
 */
function chosen(
  records: Ec2Records,
  ids: readonly string[] | undefined,
  pageSize: number | undefined,
): InstanceRecord[] {
  if (!ids?.length) return records.instances.values().filter((instance) => isSeen(records, instance));
  if (pageSize !== undefined)
    throw new AwsError(
      "InvalidParameterCombination",
      "The parameter instancesSet cannot be used with the parameter maxResults",
    );
  return instancesById(records, ids);
}

const sortKey = (instance: InstanceRecord): string => `${instance.reservationId} ${instance.instanceId}`;

function describeInstances(records: Ec2Records, input: DescribeInstancesRequest): DescribeInstancesResult {
  const found = filtered(chosen(records, input.InstanceIds, input.MaxResults), input.Filters, fields(records), tagsOf);
  const { page, ...next } = paged(found, input, sortKey);
  const reservations = Map.groupBy(page, (instance) => instance.reservationId);
  return {
    Reservations: [...reservations].map(([id, instances]) => describedReservation(records, id, instances)),
    ...next,
  };
}

/** Time after the start until the status checks pass (assumed; User Guide, "Status checks", names no figure). */
const CHECKS_TAKE = 150_000;

/** The fault of an instance whose status check fails. */
export const statusImpaired = {
  kind: "instance-status-impaired",
  sentence: "EC2's reachability check of the instance fails.",
  fields: { instanceId: "instance id" },
};

/** The fault of an instance one of whose volumes cannot complete I/O (API reference, InstanceStatus: AttachedEbsStatus). */
export const volumeImpaired = {
  kind: "volume-impaired",
  sentence: "EC2's check of the attached volumes fails: one of them does not answer.",
  fields: { instanceId: "instance id" },
};

/** Codes of the events that EC2 schedules (API reference, InstanceStatusEvent: Code). */
const eventCodes = [
  "instance-reboot",
  "system-reboot",
  "system-maintenance",
  "instance-retirement",
  "instance-stop",
] as const;

/** The fault of an instance for which EC2 has scheduled an event. */
export const eventScheduled = {
  kind: "event-scheduled",
  sentence: "EC2 has scheduled an event of the instance in two days.",
  fields: { instanceId: "instance id", code: eventCodes.join(", ") },
  values: { code: eventCodes },
};

/** Milliseconds until a scheduled event (chosen for the simulator; EC2 announces most of them days before). */
const EVENT_IN = 2 * 24 * 60 * 60_000;

/** Lists the events that EC2 has scheduled. Each keeps its id and its time until its fault ends. */
const eventsOf = ({ simulation }: Ec2Records, { instanceId }: InstanceRecord): InstanceStatusEvent[] => {
  const known = simulation.store.collection<{ readonly id: string; readonly at: number }>("scheduled-events");
  return eventCodes.flatMap((code) => {
    const key = `${instanceId} ${code}`;
    if (!simulation.faults.applies(eventScheduled.kind, { instanceId, code })) {
      known.delete(key);
      return [];
    }
    const event = known.get(key) ?? {
      id: `instance-event-${simulation.random.hex(17)}`,
      at: simulation.clock.now() + EVENT_IN,
    };
    known.set(key, event);
    return [{ InstanceEventId: event.id, Code: code, NotBefore: new Date(event.at) }];
  });
};

/** Filters of DescribeInstanceStatus beside those of DescribeInstances (API reference, DescribeInstanceStatus). */
const statusFields = (records: Ec2Records): FilterFields<InstanceRecord> => ({
  ...fields(records),
  "event.code": (instance) => eventsOf(records, instance).map(({ Code }) => Code),
});

function checkOf(
  records: Ec2Records,
  instance: InstanceRecord,
  reachable: boolean,
): NonNullable<InstanceStatus["InstanceStatus"]> {
  if (instance.runningSince === null) return { Status: "not-applicable" };
  if (!reachable) return { Status: "impaired", Details: [{ Name: "reachability", Status: "failed" }] };
  const passed = records.simulation.clock.now() - instance.runningSince >= CHECKS_TAKE;
  const detail = passed ? "passed" : "initializing";
  return { Status: passed ? "ok" : "initializing", Details: [{ Name: "reachability", Status: detail }] };
}

function statusOf(records: Ec2Records, instance: InstanceRecord): InstanceStatus {
  const { instanceId } = instance;
  const isImpaired = ({ kind }: { readonly kind: string }) => records.simulation.faults.applies(kind, { instanceId });
  return {
    InstanceId: instanceId,
    AvailabilityZone: instance.zone,
    InstanceState: describedState(instance.state),
    SystemStatus: checkOf(records, instance, true),
    InstanceStatus: checkOf(records, instance, !isImpaired(statusImpaired)),
    AttachedEbsStatus: checkOf(records, instance, !isImpaired(volumeImpaired)),
    Events: eventsOf(records, instance),
  };
}

function describeStatus(records: Ec2Records, input: DescribeInstanceStatusRequest): DescribeInstanceStatusResult {
  const all = chosen(records, input.InstanceIds, input.MaxResults);
  const found = filtered(all, input.Filters, statusFields(records), tagsOf);
  const wanted = found.filter((instance) => input.IncludeAllInstances || instance.state === "running");
  const { page, ...next } = paged(wanted, input, sortKey);
  return { InstanceStatuses: page.map((instance) => statusOf(records, instance)), ...next };
}

/** DescribeInstances and DescribeInstanceStatus. */
export const describeInstanceActions = (records: Ec2Records): Ec2Action[] => [
  ec2Action<DescribeInstancesRequest, DescribeInstancesResult>(DescribeInstances$, {
    perform: (input) => describeInstances(records, input),
  }),
  ec2Action<DescribeInstanceStatusRequest, DescribeInstanceStatusResult>(DescribeInstanceStatus$, {
    perform: (input) => describeStatus(records, input),
  }),
];
