import { borrowingNode } from "../../../../lib/sandbox/neighbours/borrowed-identity.ts";
import type { Journey } from "../../journey.ts";
import { kubectl, type SeedNode } from "../../others.ts";
import { asAdministrator } from "../../outside.ts";

/** A Node that runs on no machine. */
export const strange: SeedNode = { name: "ip-10-0-9-99.us-west-2.compute.internal", instanceId: "" };

/** A kubelet registers its Node with the provider id of another machine; the API server answers 201. */
export async function borrow(here: Journey, victim: SeedNode, name = strange.name): Promise<void> {
  const providerID = `aws:///us-west-2a/${victim.instanceId}`;
  await asAdministrator(here, "POST", "/api/v1/nodes", borrowingNode(name, providerID));
}

/** A kubelet deletes nothing: an administrator does, and the kubelet registers again, with another machine's id. */
export async function registerAnew(here: Journey, node: SeedNode, victim: SeedNode): Promise<void> {
  await kubectl(here, "DELETE", `/api/v1/nodes/${node.name}`);
  await borrow(here, victim, node.name);
}

/** The strange Node is deleted, as the refusals advise. */
export const deleteStrange = (here: Journey): Promise<void> => kubectl(here, "DELETE", `/api/v1/nodes/${strange.name}`);
