import {
  DescribeInstancePatchStatesCommand,
  InvalidInstanceId,
  paginateDescribeInstanceAssociationsStatus,
} from "@aws-sdk/client-ssm";
import { ApiException } from "@kubernetes/client-node";
import { isAbsent, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { isDenied } from "../doctor/check.ts";
import type { Association, HealthCheck, MachineFacts, PatchState, Traces } from "./other-controllers.ts";

/** Namespace of Machines and their health checks on OpenShift; the claims are read there too. */
const MACHINE_API = { group: "machine.openshift.io", version: "v1beta1", namespace: "openshift-machine-api" } as const;

/** Marks that other controllers leave beside the Node, and what could not be read of them. */
export interface TracesSeen
  extends Pick<Traces, "machineFacts" | "healthChecks" | "associations" | "patches" | "groupMember"> {
  /** In words. */
  readonly unread: readonly string[];
}

interface MachineObject extends MachineFacts {
  readonly spec?: { readonly providerID?: string };
}

interface Read<T> {
  readonly value: T;
  readonly unread: readonly string[];
}

/** A right that is missing leaves a gap in what is judged, and says so; every other failure is the caller's. */
async function readAs<T>(what: string, read: Promise<T>, otherwise: T): Promise<Read<T>> {
  try {
    return { value: await read, unread: [] };
  } catch (error) {
    // A cluster without the Machine API has none of its objects.
    if (isAbsent(error)) return { value: otherwise, unread: [] };
    if (!isDenied(error) && !(error instanceof ApiException && error.code === 403)) throw error;
    return { value: otherwise, unread: [`${what} (${wordsOf(error)})`] };
  }
}

/** Reading what other controllers leave on a node's Machine and in the account. */
export const traces = ({ clients: { kubernetes, ssm, groupMember } }: StepContext) => {
  const list = async <T>(plural: string): Promise<readonly T[]> =>
    ((await kubernetes.custom.listNamespacedCustomObject({ ...MACHINE_API, plural })) as { items?: T[] }).items ?? [];

  const machineOf = async (instanceId: string): Promise<MachineFacts | null> =>
    (await list<MachineObject>("machines")).find(({ spec }) => spec?.providerID?.endsWith(`/${instanceId}`)) ?? null;

  /** Associations by State Manager's own record of what runs on the instance; one that SSM does not know has none. */
  const associationsOf = async (InstanceId: string): Promise<readonly Association[]> => {
    const found: Association[] = [];
    try {
      for await (const page of paginateDescribeInstanceAssociationsStatus({ client: ssm }, { InstanceId }))
        for (const { Name = "", AssociationName, AssociationId = "" } of page.InstanceAssociationStatusInfos ?? [])
          found.push({ name: AssociationName ?? AssociationId, document: Name });
    } catch (error) {
      if (!(error instanceof InvalidInstanceId)) throw error;
    }
    return found;
  };

  /** Updates by Patch Manager's own record; an instance that it never scanned is not in the list. */
  const patchesOf = async (InstanceId: string): Promise<PatchState | null> => {
    const { InstancePatchStates = [] } = await ssm.send(
      new DescribeInstancePatchStatesCommand({ InstanceIds: [InstanceId] }),
    );
    const [found] = InstancePatchStates;
    if (!found) return null;
    return { pending: found.InstalledPendingRebootCount ?? 0, reboots: found.RebootOption === "RebootIfNeeded" };
  };

  return {
    /**
     * Reads the Machine behind an instance, the health checks over Machines, the SSM associations of the instance, the updates on
     * it that wait for a reboot, and what its Auto Scaling group does. Health checks are read only where there is a Machine.
     * @param isInGroup whether its tags name an Auto Scaling group: only then is the group asked for
     * @throws a busy server's error
     */
    of: async (instanceId: string, isInGroup: boolean): Promise<TracesSeen> => {
      const machine = await readAs("the Machine", machineOf(instanceId), null);
      const checks = machine.value
        ? await readAs("MachineHealthChecks", list<HealthCheck>("machinehealthchecks"), [])
        : { value: [], unread: [] };
      const associations = await readAs("SSM associations", associationsOf(instanceId), []);
      const patches = await readAs("updates that wait for a reboot", patchesOf(instanceId), null);
      const member = isInGroup
        ? await readAs("health checks of its Auto Scaling group", groupMember(instanceId), null)
        : { value: null, unread: [] };
      return {
        groupMember: member.value,
        patches: patches.value,
        machineFacts: machine.value,
        healthChecks: checks.value,
        associations: associations.value,
        unread: [...machine.unread, ...checks.unread, ...associations.unread, ...patches.unread, ...member.unread],
      };
    },
  };
};
