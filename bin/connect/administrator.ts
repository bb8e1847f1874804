import { readFileSync } from "node:fs";
import {
  CertificatesV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  RbacAuthorizationV1Api,
  VersionApi,
} from "@kubernetes/client-node";
import { isAbsent } from "../../lambdas/steps/client-errors.ts";
import { StartError } from "../start-error.ts";
import type { Place } from "./place.ts";

/** Name of an object of a custom kind without a namespace. */
export interface ClusterObject {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly name: string;
}

/** A cluster administrator's access to the cluster, as kubectl uses it. */
export interface Administrator {
  readonly core: CoreV1Api;
  readonly rbac: RbacAuthorizationV1Api;
  readonly certificates: CertificatesV1Api;
  readonly version: VersionApi;
  /** Reads an object of a custom kind without a namespace. */
  clusterObject(reference: ClusterObject): Promise<unknown>;
  /** Address of the API server. */
  readonly server: string;
  /** PEM of the API server's authority; undefined if the kubeconfig names none. */
  readonly authority: string | undefined;
}

function authorityOf({ caData, caFile }: { caData?: string; caFile?: string }): string | undefined {
  if (caData) return Buffer.from(caData, "base64").toString("utf8");
  return caFile ? readFileSync(caFile, "utf8") : undefined;
}

/** Explains that a cluster lacks an object that every OKD and OpenShift cluster has. */
const notOpenShift = ({ group, plural, name }: ClusterObject, server: string): string =>
  `${plural}.${group} "${name}" not found at ${server}: kubectl's current context must be the OKD or OpenShift cluster`;

/**
 * Reads the local user's kubeconfig.
 * @throws StartError if it names no API server
 */
export function administratorOf({ kubeconfig }: Pick<Place, "kubeconfig">): Administrator {
  const config = new KubeConfig();
  if (kubeconfig) config.loadFromFile(kubeconfig);
  else config.loadFromDefault();
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new StartError("the kubeconfig names no API server: choose a context with kubectl");
  return {
    core: config.makeApiClient(CoreV1Api),
    rbac: config.makeApiClient(RbacAuthorizationV1Api),
    certificates: config.makeApiClient(CertificatesV1Api),
    version: config.makeApiClient(VersionApi),
    clusterObject: (reference) =>
      config
        .makeApiClient(CustomObjectsApi)
        .getClusterCustomObject(reference)
        .catch((error: unknown) => {
          throw isAbsent(error) ? new StartError(notOpenShift(reference, cluster.server)) : error;
        }),
    server: cluster.server,
    authority: authorityOf(cluster),
  };
}
