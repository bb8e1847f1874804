import type { CoreV1Api, CustomObjectsApi, V1ObjectMeta } from "@kubernetes/client-node";
import { isAbsent } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import type { Machine } from "../ec2/instances.ts";

/** A machine that another controller of the cluster claims. */
export interface MachineClaim {
  /** Instance id, address or DNS name, as the claim names it. */
  readonly machine: string;
  readonly kind: "machine-set" | "machine" | "windows-instances";
  /** Name of the MachineSet or Machine, or the key of the entry. */
  readonly owner: string;
}

/** The claim on a machine, by exactly its instance id, an address or a name. */
export const claimOn = (machine: Machine, claimed: readonly MachineClaim[]): MachineClaim | undefined => {
  const own = [machine.instanceId, machine.privateIp, machine.privateDnsName];
  return claimed.find((claim) => own.includes(claim.machine.toLowerCase()));
};

/** Reads the machines that other controllers of the cluster claim. Casement neither approves nor removes them. */
export const claims = ({ clients }: StepContext) => {
  const { core, custom } = clients.kubernetes;
  return {
    /** The claims of the Machine API and of WMCO's `windows-instances`. */
    all: async (): Promise<readonly MachineClaim[]> => [...(await machineClaims(custom)), ...(await hostClaims(core))],
  };
};

interface MachineObject {
  readonly metadata: V1ObjectMeta;
  readonly spec?: { readonly providerID?: string };
}

/** The claim of a Machine. Its owner is the MachineSet that would replace the machine, or the Machine itself. */
function machineClaim({ metadata, spec }: MachineObject): MachineClaim[] {
  const machine = spec?.providerID?.split("/").at(-1);
  if (!machine) return [];
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === "MachineSet")?.name;
  const set = owner ?? metadata.labels?.["machine.openshift.io/cluster-api-machineset"];
  return [
    set ? { machine, kind: "machine-set", owner: set } : { machine, kind: "machine", owner: metadata.name ?? "" },
  ];
}

/**
 * The claims of all Machines of the cluster: `aws:///us-west-2a/i-0abc` → `i-0abc`. Clusters without that kind have
 * none.
 */
async function machineClaims(custom: CustomObjectsApi): Promise<MachineClaim[]> {
  try {
    const list = (await custom.listNamespacedCustomObject({
      group: "machine.openshift.io",
      version: "v1beta1",
      namespace: "openshift-machine-api",
      plural: "machines",
    })) as { items?: MachineObject[] };
    return (list.items ?? []).flatMap(machineClaim);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** The claims in WMCO's "bring your own host" ConfigMap, by address or name. */
async function hostClaims(core: CoreV1Api): Promise<MachineClaim[]> {
  try {
    const map = await core.readNamespacedConfigMap({
      name: "windows-instances",
      namespace: "openshift-windows-machine-config-operator",
    });
    return Object.keys(map.data ?? {}).map((machine) => ({ machine, kind: "windows-instances", owner: machine }));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
