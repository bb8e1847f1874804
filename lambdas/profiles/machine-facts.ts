import type { Configuration, Pool } from "../configuration/configuration.ts";
import type { PayloadManifest } from "../machine/payload.ts";

/** Everything that decides what one Windows machine looks like. */
export interface MachineSpec {
  readonly configuration: Configuration;
  readonly poolName: string;
  readonly pool: Pool;
  /** The instance's PrivateDnsName. */
  readonly nodeName: string;
  /** The instance's private address. */
  readonly nodeIp: string;
  /** "10.0.20348" */
  readonly build: string;
  readonly payload: PayloadManifest;
  /** PEM of the authorities whose clients the kubelet answers; read from the cluster before it is configured. */
  readonly kubeletClients: string;
  /** The secret of this instance: JSON { kubeconfig }. */
  readonly joinSecretId: string;
}
