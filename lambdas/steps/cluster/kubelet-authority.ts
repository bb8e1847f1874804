import { authoritiesIn, type Bundle } from "../../cluster/authorities.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import { controllerConfig, publishedAuthorities, publishedBundle } from "../../inputs/kubelet-clients.ts";
import type { StepContext } from "../context.ts";
import { inputObjects, readRefusal } from "./input-objects.ts";

/** The client authorities that kubelets must trust. */
export interface KubeletAuthority extends Bundle {
  /** Reason why the configuration's authority is used and not the cluster's; null if it is the cluster's. */
  readonly why: string | null;
}

/**
 * Reads the authorities that sign the API server's client certificate for kubelets, for a machine that joins.
 */
export const kubeletAuthority = (context: StepContext) => ({
  /**
   * Reads the bundle that the cluster publishes, or the configured one if the cluster publishes none.
   * @throws Refused if there is neither, or the bundle is unreadable: no kubelet may start with it
   */
  read: async ({ cluster }: Configuration): Promise<KubeletAuthority> => {
    try {
      const pem = publishedBundle(await inputObjects(context).one(controllerConfig));
      return { pem, authorities: publishedAuthorities(pem), why: null };
    } catch (error) {
      const why = readRefusal(controllerConfig, error);
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
});
