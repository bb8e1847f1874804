import type { OperationRecord } from "../../lambdas/records/records.ts";
import type { Certificate } from "../../lib/sandbox/machine/image-certificates.ts";
import type { Issuer } from "../inputs/trust/issuing.ts";
import { type Journey, startJourney } from "./journey.ts";
import { nodes, paged, said } from "./mirroring.ts";
import { kubectl, type SeedNode } from "./others.ts";

const CONFIG = "/apis/config.openshift.io/v1";
const CONFIG_MAPS = "/api/v1/namespaces/openshift-config/configmaps";

/** Name of the ConfigMap with the cluster's bundle, as OpenShift's documentation calls it. */
export const BUNDLE = "user-ca-bundle";

/** Path of that ConfigMap. */
export const bundlePath = `${CONFIG_MAPS}/${BUNDLE}`;

/** Creates a ConfigMap of the namespace openshift-config. */
export const createMap = (here: Journey, name: string, data: Readonly<Record<string, string>>): Promise<void> =>
  kubectl(here, "POST", CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "openshift-config" },
    data,
  });

const textOf = (all: readonly Pick<Issuer, "pem">[]): string => all.map(({ pem }) => pem).join("");

/** Has the cluster's Proxy name a ConfigMap. */
export const nameBundle = (here: Journey, name = BUNDLE): Promise<void> =>
  kubectl(here, "PATCH", `${CONFIG}/proxies/cluster`, { spec: { trustedCA: { name } } });

/** Has the cluster's Image name a ConfigMap. */
export const nameRegistries = (here: Journey, name: string): Promise<void> =>
  kubectl(here, "PATCH", `${CONFIG}/images/cluster`, { spec: { additionalTrustedCA: { name } } });

/** Has the cluster trust authorities, as an administrator does who follows OpenShift's documentation. */
export async function trustThese(here: Journey, ...all: readonly Pick<Issuer, "pem">[]): Promise<void> {
  await createMap(here, BUNDLE, { "ca-bundle.crt": textOf(all) });
  await nameBundle(here);
}

/** Replaces the cluster's bundle. */
export const trustOnly = (here: Journey, ...all: readonly Pick<Issuer, "pem">[]): Promise<void> =>
  kubectl(here, "PATCH", bundlePath, { data: { "ca-bundle.crt": textOf(all) } });

const unasked = { approvals: { authorities: { needs: 0 } } };

/**
 * Starts a cluster with nodes, by default one in which new roots need no approval.
 * @param neighbours names of other programs in the cluster
 */
export const startTrusting = (configuration: object = unasked, neighbours: readonly string[] = []): Promise<Journey> =>
  startJourney({
    seedNodes: true,
    configuration,
    ...(neighbours.length > 0 ? { neighbours: { with: neighbours } } : {}),
  });

/** Subjects of certificates that AWS's images do not have, by store, on the machine of a node. */
export function trustedOn(here: Journey, { instanceId }: Pick<SeedNode, "instanceId">): readonly string[] {
  const all = here.simulator.machines.describe(instanceId)?.certificates ?? [];
  return all
    .filter(({ subject }) => subject.startsWith("CN=Test "))
    .map(({ store, subject }) => `${store} ${subject.slice("CN=Test ".length)}`)
    .toSorted();
}

/** Adds a root to the machine of a node, as a person or a group policy does. */
export function addByHand(here: Journey, { instanceId }: SeedNode, { thumbprint, subject }: Issuer): void {
  const all = here.simulator.machines.describe(instanceId)?.certificates as Certificate[];
  all.push({ store: "Root", thumbprint, subject });
}

/** Subjects of such certificates on each of the cluster's first nodes. */
export const trustedEverywhere = (here: Journey): readonly (readonly string[])[] =>
  nodes.map((node) => trustedOn(here, node));

/** Operations about trusted authorities, the newest first. */
export const trustOperations = async (here: Journey): Promise<readonly OperationRecord[]> =>
  (await here.operations()).filter(({ request }) => request.command === "trust");

/** Waits until nodes were given authorities so many times. */
export const given = (here: Journey, times: number, words = "3 nodes updated"): Promise<void> =>
  here.until(() => said(here, words) >= times, 30, "the change");

/** Waits for a request for approval. @returns its operation */
export async function asked(here: Journey, times = 1): Promise<string> {
  const open = async () => (await trustOperations(here)).filter(({ approval }) => approval !== undefined);
  await here.until(async () => (await open()).length >= times, 30, "the request");
  await here.until(
    () => paged(here).filter((one) => one.includes("waiting for an approval")).length >= times,
    5,
    "the page",
  );
  return (await open()).find(({ endedAt }) => endedAt === null)?.id ?? "";
}
