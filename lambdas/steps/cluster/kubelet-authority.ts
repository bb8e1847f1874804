import { ApiException } from "@kubernetes/client-node";
import { z } from "zod";
import { type Authority, authoritiesIn, type Bundle } from "../../cluster/authorities.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import type { StepContext } from "../context.ts";

/** The client authorities that kubelets must trust. */
export interface KubeletAuthority {
  readonly pem: string;
  readonly authorities: readonly Authority[];
  /** Reason why the configuration's authority is used and not the cluster's; null if it is the cluster's. */
  readonly why: string | null;
}

const OBJECT = "ControllerConfig machine-config-controller";
const FIELD = `${OBJECT}, spec.kubeAPIServerServingCAData,`;

/** openshift/api, machineconfiguration/v1: base64, like every []byte. WMCO reads the same field. */
const controllerConfig = z.object({ spec: z.object({ kubeAPIServerServingCAData: z.string() }) });

/** Words for the status codes after which the configuration's own authority is used. */
const notPublished: Readonly<Record<number, string>> = {
  403: `Casement is not allowed to read ${OBJECT}: apply the manifest (\`npm run --silent connect -- manifest | kubectl apply -f -\`)`,
  404: `the cluster has no ${OBJECT}`,
};

/**
 * Reads the authorities that sign the API server's client certificate for kubelets. The cluster replaces them about
 * once a year.
 */
export const kubeletAuthority = (context: StepContext) => {
  const published = async (): Promise<string> => {
    const found: unknown = await context.clients.kubernetes.custom.getClusterCustomObject({
      group: "machineconfiguration.openshift.io",
      version: "v1",
      plural: "controllerconfigs",
      name: "machine-config-controller",
    });
    const config = controllerConfig.safeParse(found).data;
    return Buffer.from(config?.spec.kubeAPIServerServingCAData ?? "", "base64").toString("utf8");
  };

  return {
    /**
     * Reads the bundle that the cluster publishes. There is no fallback: a machine in service never gets a bundle that
     * a person wrote.
     * @throws Refused if Casement may not read it or it is incomplete; the client's error if the API server is
     * unavailable
     */
    readPublished: async (): Promise<Bundle> => {
      try {
        const pem = await published();
        return { pem, authorities: authoritiesIn(pem, FIELD, "so no node was changed") };
      } catch (error) {
        const why = error instanceof ApiException ? notPublished[error.code] : undefined;
        if (why === undefined) throw error;
        throw new Refused(`${why}, so no node was changed`, { cause: error });
      }
    },

    /**
     * Reads the bundle that the cluster publishes, or the configured one if the cluster publishes none.
     * @throws Refused if there is neither, or the bundle is unreadable: no kubelet may start with it
     */
    read: async ({ cluster }: Configuration): Promise<KubeletAuthority> => {
      try {
        const pem = await published();
        return { pem, authorities: authoritiesIn(pem, FIELD), why: null };
      } catch (error) {
        const why = error instanceof ApiException ? notPublished[error.code] : undefined;
        if (why === undefined) throw error;
        const pem = cluster.kubeletClientAuthority;
        if (pem === undefined)
          throw new Refused(`${why}, and cluster.kubeletClientAuthority is not set in the configuration`, {
            cause: error,
            code: "authority-unreadable",
          });
        const authorities = authoritiesIn(pem, "cluster.kubeletClientAuthority of the configuration");
        return { pem, authorities, why: `${why}; the kubelet trusts the authorities of the configuration instead` };
      }
    },
  };
};
