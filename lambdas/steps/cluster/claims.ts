import type { CoreV1Api, CustomObjectsApi, V1ObjectMeta } from "@kubernetes/client-node";
import { isAbsent } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import type { Machine } from "../ec2/instances.ts";

/** A machine that another controller of the cluster calls its own. */
export interface Claim {
  /** Instance id, address or DNS name, as the claim has it. */
  readonly machine: string;
  readonly kind: "machine-set" | "machine" | "windows-instances";
  /** Name of the MachineSet or Machine; the entry's key. */
  readonly owner: string;
}

/** The claim on a machine, by exactly its instance id, address or name. */
export const claimOn = (machine: Machine, claimed: readonly Claim[]): Claim | undefined => {
  const own = [machine.instanceId, machine.privateIp, machine.privateDnsName];
  return claimed.find((claim) => own.includes(claim.machine.toLowerCase()));
};

/** Reads the machines that other controllers of the cluster claim: Casement neither approves nor removes them. */
export const claims = ({ clients }: StepContext) => {
  const { core, custom } = clients.kubernetes;
  return {
    /** The claims of the Machine API and of WMCO's `windows-instances`. */
    all: async (): Promise<readonly Claim[]> => [...(await machineClaims(custom)), ...(await hostClaims(core))],
  };
};

interface MachineObject {
  readonly metadata: V1ObjectMeta;
  readonly spec?: { readonly providerID?: string };
}

/** Names the MachineSet that makes a new machine when this one goes; a Machine without one is its own owner. */
function machineClaim({ metadata, spec }: MachineObject): Claim[] {
  const machine = spec?.providerID?.split("/").at(-1);
  if (!machine) return [];
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === "MachineSet")?.name;
  const set = owner ?? metadata.labels?.["machine.openshift.io/cluster-api-machineset"];
  return [
    set ? { machine, kind: "machine-set", owner: set } : { machine, kind: "machine", owner: metadata.name ?? "" },
  ];
}

/** `aws:///us-west-2a/i-0abc` → `i-0abc`, from every Machine of the cluster; clusters without that kind have none. */
async function machineClaims(custom: CustomObjectsApi): Promise<Claim[]> {
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

/** Addresses and names under WMCO's "bring your own host" ConfigMap. */
async function hostClaims(core: CoreV1Api): Promise<Claim[]> {
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
