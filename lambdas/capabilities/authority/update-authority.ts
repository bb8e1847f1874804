import { reconcileInput } from "../../change/inputs/reconcile.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { inputs } from "../../inputs/list.ts";
import { lambdaEntry, type Workflow } from "../../steps/host.ts";

/** Payload with which a tick of the schedule starts the comparison. */
export interface UpdateAuthority {
  /** Id of the event: a tick that is delivered twice starts one comparison. */
  readonly tick: string;
}

/**
 * By schedule: when the cluster replaces the authorities by which kubelets verify the API server, gives every node the
 * new ones.
 */
export const updateAuthority: Workflow<UpdateAuthority> =
  (steps) =>
  ({ tick }, ctx) =>
    reconcileInput({ ctx, steps }, inputs.kubeletClients, tick);

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("update-authority", updateAuthority));
