import { load } from "../loading.ts";
import type { FirewallRule } from "../state.ts";
import { type ActionHandler, type Applying, CMDLET_MS } from "./applying.ts";

/** Windows features that are simulated, and whether each needs a boot. */
const features: Readonly<Record<string, { readonly needsBoot: boolean }>> = {
  Containers: { needsBoot: true },
  "Hyper-V": { needsBoot: true },
  "RSAT-Hyper-V-Tools": { needsBoot: false },
  "NET-Framework-45-Core": { needsBoot: false },
};

/** Installs a feature. Windows continues when the script is killed; a script that asks again waits for the rest. */
async function installation({ machine, process }: Applying, name: string): Promise<void> {
  const { clock, figures } = machine.simulation;
  const { installing } = machine.state;
  installing[name] ??= clock.now() + machine.duration(...figures.featureInstall);
  machine.save();
  await process.pause(Math.max(0, installing[name] - clock.now()));
  delete installing[name];
}

/** Installs a Windows feature; never reboots. */
export const feature: ActionHandler<"feature"> = async (run, { name }) => {
  const { machine } = run;
  const known = features[name];
  if (!known)
    throw new Error(
      `ArgumentNotValid: The role, role service, or feature name is not valid: '${name}'. The name was not found.`,
    );
  await load(machine, run.process, "features");
  const there = machine.state.features.find((one) => one.name === name);
  if (there?.state === "InstallPending") run.rebootDue = true;
  if (there) return false;
  await installation(run, name);
  if (machine.faultApplies("feature-install-fails")) {
    throw new Error("The request to add or remove features on the specified server failed. Error: 0x800f0922");
  }
  machine.state.features.push({ name, state: known.needsBoot ? "InstallPending" : "Installed" });
  if (known.needsBoot) run.rebootDue = true;
  machine.save();
  return true;
};

/** Writes a single address without its length, as Windows does. */
const bare = (address: string): string => address.replace(/\/32$/, "");

const ruleOf = ({ name, protocol, port, remoteAddresses }: Omit<FirewallRule, "enabled" | "action">): FirewallRule => ({
  name,
  enabled: true,
  action: "Allow",
  protocol,
  port,
  remoteAddresses: remoteAddresses.map(bare).toSorted(),
});

const isAs = (known: FirewallRule, wanted: FirewallRule): boolean =>
  known.enabled && known.action === "Allow" && JSON.stringify(ruleOf(known)) === JSON.stringify(wanted);

/** Allows inbound traffic on one port. */
export const firewallRule: ActionHandler<"firewall-rule"> = async ({ machine, process }, wanted) => {
  await load(machine, process, "firewall");
  const rule = ruleOf(wanted);
  const others = machine.state.firewall.filter((one) => one.name !== rule.name);
  const known = machine.state.firewall.find((one) => one.name === rule.name);
  if (known && isAs(known, rule)) return false;
  await process.pause(machine.duration(...CMDLET_MS.firewallRule));
  machine.state.firewall = [...others, rule];
  machine.save();
  return true;
};

/** Excludes a process from Defender, if Defender runs. */
export const defenderExclusion: ActionHandler<"defender-exclusion"> = async (
  { machine, process },
  { process: name },
) => {
  if (!machine.state.defenderRuns) return false;
  await load(machine, process, "defender");
  if (machine.state.defenderExclusions.includes(name)) return false;
  machine.state.defenderExclusions.push(name);
  machine.save();
  return true;
};
