import { DescribeVolumesCommand } from "@aws-sdk/client-ec2";
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { keys, SLOTS } from "../../lambdas/records/ledger-table.ts";
import { isAbsent } from "../../lambdas/steps/client-errors.ts";
import { hasEnded } from "../../lambdas/steps/ec2/instances.ts";
import { TAG } from "../../lambdas/tags.ts";
import type { Run } from "./run-file.ts";
import type { Scene } from "./scene.ts";

type Check = (scene: Scene, run: Run, instanceId: string) => Promise<string | null>;

const instance: Check = async ({ instances }, _, instanceId) => {
  const found = await instances.describe(instanceId);
  return found && !hasEnded(found) ? `the instance ${instanceId} is ${found.state}` : null;
};

const volumes: Check = async ({ clients }, { operations }) => {
  const Filters = [{ Name: `tag:${TAG.operation}`, Values: [operations.add ?? ""] }];
  const { Volumes = [] } = await clients.ec2.send(new DescribeVolumesCommand({ Filters }));
  return Volumes.length > 0 ? `volumes: ${Volumes.map(({ VolumeId }) => VolumeId).join(", ")}` : null;
};

const node: Check = async ({ administrator }, { nodeName }) => {
  if (nodeName === null) return null;
  try {
    await administrator.core.readNode({ name: nodeName });
    return `the Node ${nodeName}`;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
};

const secret: Check = async ({ clients, secretOf }, _, instanceId) => {
  const SecretId = secretOf(instanceId);
  try {
    const { DeletedDate } = await clients.secrets.send(new DescribeSecretCommand({ SecretId }));
    return DeletedDate ? null : `the join secret ${SecretId}`;
  } catch (error) {
    if (error instanceof Error && error.name === "ResourceNotFoundException") return null;
    throw error;
  }
};

const lease: Check = async ({ leases }, _, instanceId) => {
  const holder = await leases.holder(instanceId);
  return holder ? `the lease on ${instanceId}, held by ${holder}` : null;
};

/** Finds slots, join slots and reservations that the run's operations still hold; each names its operation. */
const held: Check = async ({ items }, { operations, pool }) => {
  const entries = [
    await items.partition(SLOTS),
    await items.read(keys.registering),
    await items.read(keys.pool(pool)),
  ].map((item) => JSON.stringify(item ?? {}));
  const holders = Object.values(operations).filter((id) => entries.some((text) => text.includes(id)));
  return holders.length > 0 ? `places in the ledger, held by ${holders.join(", ")}` : null;
};

const checks: readonly Check[] = [instance, volumes, node, secret, lease, held];

/** Lists everything that is left of a run's node; empty if the node was removed completely. */
export async function leftovers(scene: Scene, run: Run): Promise<string[]> {
  const { instanceId } = run;
  if (instanceId === null) return [];
  const found = await Promise.all(checks.map((check) => check(scene, run, instanceId)));
  return found.filter((one) => one !== null);
}
