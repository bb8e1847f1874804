import { parse } from "yaml";
import { z } from "zod";
import { flagsOf } from "../command-line.ts";
import type { Machine, Program, ProgramContext } from "../machine.ts";
import { hnsNetwork } from "../network.ts";

const configSchema = z.object({
  clientConnection: z.object({ kubeconfig: z.string() }),
  clusterCIDR: z.string().default(""),
  winkernel: z.object({ networkName: z.string().default(""), sourceVip: z.string().default("") }),
});
type Config = z.infer<typeof configSchema>;

/** @throws Error in kube-proxy's manner */
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

/** What winkernel's proxier looks for when it is made (pkg/proxy/winkernel/proxier.go). */
function networkFault(machine: Machine, { winkernel }: Config): string | undefined {
  if (!hnsNetwork(machine, winkernel.networkName))
    return `Unable to find HNS Network specified: ${winkernel.networkName}`;
  if (winkernel.sourceVip === "") return "source-vip flag not set";
  const known = machine.state.hnsEndpoints.some((endpoint) => endpoint.ip === winkernel.sourceVip);
  return known ? undefined : `no HNS endpoint has the source VIP ${winkernel.sourceVip}`;
}

async function proxy(context: ProgramContext, config: Config): Promise<void> {
  if (context.resumed) return;
  await context.process.pause(context.machine.takes(1_000, 2_000));
  const fault = networkFault(context.machine, config);
  if (fault) return context.exit(1, fault);
  context.log("Hns Network loaded");
}

/** kube-proxy: reports itself running, and ends a second or two later when its HNS network is not there. */
export const kubeProxy: Program = (context) => {
  try {
    const config = configOf(context.machine, flagsOf(context.words, ["windows-service"]).get("config"));
    void proxy(context, config);
    return undefined;
  } catch (error) {
    return { code: 1, reason: error instanceof Error ? error.message : String(error) };
  }
};
