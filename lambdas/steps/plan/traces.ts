import {
  DescribeInstancePatchStatesCommand,
  InvalidInstanceId,
  paginateDescribeInstanceAssociationsStatus,
} from "@aws-sdk/client-ssm";
import { isAbsent, isRefusedByRbac, lacksRight, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { isDenied } from "../doctor/check.ts";
import { pause as wait } from "../patience.ts";
import { factOf } from "../together.ts";
import type { Association, HealthCheck, MachineMetadata, PatchState, Traces } from "./other-controllers.ts";

/**
 * Namespace and API group of Machines and their health checks on OpenShift; the claims are read from the same
 * namespace.
 */
const MACHINE_API = { group: "machine.openshift.io", version: "v1beta1", namespace: "openshift-machine-api" } as const;

/** Facts about other controllers that are not on the Node, and those that could not be read. */
export interface TracesSeen
  extends Pick<Traces, "machineFacts" | "healthChecks" | "associations" | "patches" | "groupMember"> {
  /** Names of the facts that could not be read. */
  readonly unread: readonly string[];
}

interface MachineObject extends MachineMetadata {
  readonly spec?: { readonly providerID?: string };
}

interface Read<T> {
  readonly value: T;
  readonly unread: readonly string[];
}

/** Milliseconds after which an API server that has just started has read its roles and bindings. */
const STARTED = 2_000;

/** Reads a fact. A missing right adds the fact to `unread`; the caller handles every other error. */
async function readAs<T>(what: string, read: Promise<T>, otherwise: T): Promise<Read<T>> {
  try {
    return { value: await read, unread: [] };
  } catch (error) {
    // A cluster without the Machine API has none of its objects.
    if (isAbsent(error)) return { value: otherwise, unread: [] };
    if (!isDenied(error) && !lacksRight(error)) throw error;
    return { value: otherwise, unread: [`${what} (${wordsOf(error)})`] };
  }
}

/** Reads what other controllers have written to a node's Machine and into the AWS account. */
export const traces = ({ clients: { kubernetes, ssm, groupMember }, pause = wait, together }: StepContext) => {
  const listOnce = async <T>(plural: string): Promise<readonly T[]> =>
    ((await kubernetes.custom.listNamespacedCustomObject({ ...MACHINE_API, plural })) as { items?: T[] }).items ?? [];

  /** An API server that has just started refuses rightful accounts too, so a refusal is not taken for a missing right at once. */
  const list = <T>(plural: string): Promise<readonly T[]> =>
    listOnce<T>(plural).catch(async (error: unknown) => {
      if (!isRefusedByRbac(error)) throw error;
      await pause(STARTED);
      return listOnce<T>(plural);
    });

  const machineOf = async (instanceId: string): Promise<MachineMetadata | null> =>
    (await list<MachineObject>("machines")).find(({ spec }) => spec?.providerID?.endsWith(`/${instanceId}`)) ?? null;

  /** Reads State Manager's record of the associations of an instance; empty if SSM does not know the instance. */
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

  /** Reads Patch Manager's record of an instance; null if Patch Manager has never scanned it. */
  const patchesOf = async (instanceId: string): Promise<PatchState | null> => {
    const found = await factOf({ together }, { instanceId, what: "patches" }, async (ids) => {
      const { InstancePatchStates = [] } = await ssm.send(
        new DescribeInstancePatchStatesCommand({ InstanceIds: [...ids] }),
      );
      return new Map(InstancePatchStates.map((state) => [state.InstanceId ?? "", state]));
    });
    if (!found) return null;
    return { pending: found.InstalledPendingRebootCount ?? 0, reboots: found.RebootOption === "RebootIfNeeded" };
  };

  return {
    /**
     * Reads the Machine behind an instance, the health checks of Machines, the instance's SSM associations, its updates
     * that wait for a reboot, and its state in its Auto Scaling group. Health checks are only read if there is a
     * Machine.
     * @param isInGroup true if the instance's tags name an Auto Scaling group; the group is only read then
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
