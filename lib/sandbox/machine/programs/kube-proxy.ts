import { parse } from "yaml";
import { z } from "zod";
import { atLeast } from "../../../../lambdas/machine/versions.ts";
import { messageOf } from "../../../message-of.ts";
import { flagsOf } from "../command-line.ts";
import type { Machine, Program, ProgramContext } from "../machine.ts";
import { hnsNetwork } from "../network.ts";

const configSchema = z.object({
  clientConnection: z.object({ kubeconfig: z.string() }),
  clusterCIDR: z.string().default(""),
  featureGates: z.record(z.string(), z.boolean()).default({}),
  winkernel: z.object({
    enableDSR: z.boolean().default(false),
    networkName: z.string().default(""),
    sourceVip: z.string().default(""),
  }),
});
type Config = z.infer<typeof configSchema>;

/** @throws Error in kube-proxy's words */
function configOf(machine: Machine, path: string | undefined): Config {
  const text = path === undefined ? undefined : machine.disk.text(path);
  if (text === undefined)
    throw new Error(`failed to complete: open ${path}: The system cannot find the file specified.`);
  const config = configSchema.parse(parse(text));
  const { kubeconfig } = config.clientConnection;
  if (!machine.disk.file(kubeconfig))
    throw new Error(`invalid configuration: open ${kubeconfig}: The system cannot find the file specified.`);
  return config;
}

/** Direct server return was behind a gate that was off by default until Kubernetes 1.33 (KEP-5100). */
const DSR_BY_DEFAULT = "1.33";

const lacksGate = (version: string, { winkernel, featureGates }: Config): boolean =>
  winkernel.enableDSR && !atLeast(version, DSR_BY_DEFAULT) && featureGates.WinDSR !== true;

/** Finds what winkernel's proxier would miss at its start (pkg/proxy/winkernel/proxier.go). */
function networkFault(machine: Machine, { winkernel }: Config): string | undefined {
  if (!hnsNetwork(machine, winkernel.networkName))
    return `Unable to find HNS Network specified: ${winkernel.networkName}`;
  if (winkernel.sourceVip === "") return "source-vip flag not set";
  const known = machine.state.hnsEndpoints.some((endpoint) => endpoint.attached && endpoint.ip === winkernel.sourceVip);
  return known ? undefined : `no endpoint of this host has the source VIP ${winkernel.sourceVip}`;
}

/** Time from the start of kube-proxy to its check for the HNS network (assumed). */
const LOADING_MS = [1_000, 2_000] as const;

async function proxy(context: ProgramContext, config: Config): Promise<void> {
  if (context.resumed) return;
  await context.process.pause(context.machine.duration(...LOADING_MS));
  const fault = networkFault(context.machine, config);
  if (fault) return context.exit(1, fault);
  context.log("Hns Network loaded");
}

/** kube-proxy: reports itself running, and exits a second or two later when its HNS network is missing. */
export const kubeProxy: Program = (context) => {
  try {
    const config = configOf(context.machine, flagsOf(context.words, ["windows-service"]).get("config"));
    if (lacksGate(context.version, config)) return { code: 1, reason: "WinDSR feature gate not enabled" };
    void proxy(context, config);
    return undefined;
  } catch (error) {
    return { code: 1, reason: messageOf(error) };
  }
};
