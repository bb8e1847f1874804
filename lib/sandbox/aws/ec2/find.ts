import { AwsError, type Caller } from "../../core/aws-service.ts";
import { ec2Arn } from "./account.ts";
import type { Ec2Records, InstanceRecord } from "./records.ts";
import { resourceTagContext } from "./tag-rules.ts";

/** Probability that a call misses a new instance that is not yet visible everywhere (assumed). */
const MISSED = 0.5;

/** Does this call find the instance? Shortly after its launch it may not. */
export const isSeen = (records: Ec2Records, instance: InstanceRecord): boolean =>
  records.simulation.clock.now() >= instance.visibleAt || records.simulation.random.next() >= MISSED;

const notFound = (ids: readonly string[]): AwsError =>
  ids.length === 1
    ? new AwsError("InvalidInstanceID.NotFound", `The instance ID '${ids[0]}' does not exist`)
    : new AwsError("InvalidInstanceID.NotFound", `The instance IDs '${ids.join(", ")}' do not exist`);

/**
 * Instances by id, all or none.
 * @throws AwsError InvalidInstanceID.Malformed or InvalidInstanceID.NotFound
 */
export function instancesById(records: Ec2Records, ids: readonly string[]): InstanceRecord[] {
  const malformed = ids.find((id) => !/^i-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id));
  if (malformed !== undefined) throw new AwsError("InvalidInstanceID.Malformed", `Invalid id: "${malformed}"`);
  const seen = (id: string): InstanceRecord | undefined => {
    const instance = records.instances.get(id);
    return instance && isSeen(records, instance) ? instance : undefined;
  };
  const found = [...new Set(ids)].map((id) => ({ id, instance: seen(id) }));
  const missing = found.filter(({ instance }) => !instance).map(({ id }) => id);
  if (missing.length > 0) throw notFound(missing);
  return found.flatMap(({ instance }) => instance ?? []);
}

/** One instance by id. */
export const instanceById = (records: Ec2Records, id: string | undefined): InstanceRecord => {
  const [instance] = instancesById(records, [id ?? ""]);
  if (!instance) throw notFound([id ?? ""]);
  return instance;
};

/** Checks the permission to act on each instance, with its tags as condition keys. */
export function permitInstances(records: Ec2Records, caller: Caller, action: string, ids: readonly string[]): void {
  for (const id of ids) {
    const tags = records.instances.get(id)?.tags ?? {};
    caller.require(action, [ec2Arn(records.account, `instance/${id}`)], resourceTagContext(tags));
  }
}
