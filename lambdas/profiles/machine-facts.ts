import type { Configuration, Pool } from "../configuration/configuration.ts";
import type { PayloadManifest } from "../machine/payload.ts";

/** Does a machine get this file of the payload? */
export const hasProgram = ({ payload }: Pick<MachineSpec, "payload">, program: string): boolean =>
  payload.files.some(({ name }) => name === program);

/** All facts that decide how one Windows machine is configured. */
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
  /** PEM of the authorities whose clients the kubelet answers, read from the cluster before configuring the machine. */
  readonly kubeletClients: string;
  /** Id of this instance's secret, whose content is JSON { kubeconfig }. */
  readonly joinSecretId: string;
}
