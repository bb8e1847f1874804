import type { Figures, Span } from "../core/figures.ts";
import type { Machine } from "./machine.ts";
import type { Process } from "./process.ts";

interface Cost {
  /** The first load in a boot: nothing is in memory yet, and after a launch each block comes from S3. */
  readonly cold: Span;
  /** A later process of the same boot. */
  readonly warm: Span;
}

/**
 * Time that PowerShell needs to load itself and the modules of a script's cmdlets, on two cores.
 * - powershell, and features after a boot: core/figures.ts.
 * - aws: `Import-Module AWSPowerShell` took 221.8 s on a fresh t3.large with Amazon's image of 2026-04
 *   (awslabs/amazon-eks-ami issue 2723), nearly four minutes on GitHub's machines (actions/runner-images issue 9357)
 *   and five on Azure's (aws/aws-toolkit-azure-devops issue 520).
 * - All other figures are assumed: modules made from CIM classes (CDXML) are compiled at each import.
 */
const costsOf = (figures: Figures) =>
  ({
    powershell: { cold: figures.powershellCold, warm: figures.powershellWarm },
    networking: { cold: [5_000, 15_000], warm: [1_000, 2_500] },
    scheduling: { cold: [2_000, 6_000], warm: [300, 900] },
    firewall: { cold: [2_000, 6_000], warm: [300, 900] },
    defender: { cold: [2_000, 6_000], warm: [300, 900] },
    features: { cold: figures.featureList, warm: [3_000, 8_000] },
    aws: { cold: [221_800, 300_000], warm: [15_000, 30_000] },
  }) as const satisfies Readonly<Record<string, Cost>>;

/** PowerShell itself, or the modules of a group of cmdlets. */
export type Part = keyof ReturnType<typeof costsOf>;

function spanOf(machine: Machine, part: Part): Span {
  const { figures } = machine.simulation;
  const cost = costsOf(figures)[part];
  if (machine.state.modules.includes(part)) return cost.warm;
  const isNewest = part === "features" && machine.facts().build?.startsWith("10.0.26100") === true;
  return isNewest ? figures.featureListOn2025 : cost.cold;
}

/** Waits as long as PowerShell needs to load itself or a module; the first load in a boot is the slow one. */
export async function load(machine: Machine, process: Process, part: Part): Promise<void> {
  await process.pause(machine.duration(...spanOf(machine, part)));
  if (machine.state.modules.includes(part)) return;
  machine.state.modules.push(part);
  machine.save();
}

/** The cmdlets of AWS's tools that a script of Casement might read content with. */
const awsCmdlets = /\b(Read-S3Object|Get-SECSecretValue)\b/;

/**
 * Waits for the import of AWS's tools: PowerShell imports a module when a script names one of its cmdlets.
 * @param text the script that runs
 */
export async function loadAwsTools(machine: Machine, process: Process, text: string): Promise<void> {
  if (awsCmdlets.test(text)) await load(machine, process, "aws");
}
