import type { InputName } from "../records/machine-record.ts";
import type { Input } from "./input.ts";
import { kubeletClientsInput } from "./kubelet-clients.ts";
import { mirrorsInput } from "./mirrors/input.ts";
import { proxyInput } from "./proxy/input.ts";

/** Every input by its name. */
export const inputs: Readonly<Record<InputName, Input>> = {
  kubeletClients: kubeletClientsInput,
  mirrors: mirrorsInput,
  proxy: proxyInput,
};

/** Inputs that `cluster.inputs` of the configuration applies, in the order in which a machine gets them. */
export const clusterInputs: readonly Input[] = [mirrorsInput, proxyInput];
