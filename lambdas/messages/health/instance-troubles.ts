import type { AgentEvidence, Trouble } from "../../health/trouble.ts";
import { typeThis } from "../command/syntax.ts";
import { age, between } from "../slack/age.ts";
import { code, plain } from "../slack/text.ts";
import {
  ADD_ROUTE,
  again,
  doctor,
  foreign,
  rebootPress,
  removeCommand,
  setClock,
  type Tell,
  type TroubleContext,
  type TroubleText,
} from "./trouble-text.ts";

/** Kinds of troubles of an instance, and of the agent that carries commands to it. */
type InstanceTrouble = Extract<Trouble["kind"], "instance-down" | "status-impaired" | "same-boot" | `agent-${string}`>;

const isStopping = (state: string): boolean => state === "stopped" || state === "stopping";

const instanceDown: Tell<"instance-down"> = ({ instanceId, state, because }, told) => ({
  says: `The instance ${code(instanceId)} is ${plain(state, 40)}${because ? `: EC2 says ${foreign(because, 200)}` : ""}.`,
  next: isStopping(state)
    ? `Start the instance in the EC2 console. ${again(told)}`
    : `${removeCommand(told)} removes what is left of the node.`,
  ...(isStopping(state) ? {} : { press: { text: "Remove…", command: `remove ${told.node}` } }),
});

/** Next step with a reboot that needs no agent, and its button. @param words the next step around the words of the reboot */
function withReboot(told: TroubleContext, words: (reboot: string) => string): Omit<TroubleText, "says"> {
  if (told.isObserved) return { next: words("Its owner decides about a reboot.") };
  return {
    next: words(
      `${typeThis("reboot", told.node, "--ec2")} reboots it through EC2, once a person approved it: the route guard runs at start-up.`,
    ),
    press: { text: "Reboot through EC2…", command: `reboot ${told.node} --ec2` },
  };
}

/** Words for each of EC2's status checks that fails. */
const statusWords: Readonly<
  Record<Extract<Trouble, { kind: "status-impaired" }>["of"], (told: TroubleContext) => TroubleText>
> = {
  system: (told) => ({
    says: "EC2's system status check fails: the host under the instance has a fault.",
    next: `Stop the instance in the EC2 console and start it again: it moves to another host. ${again(told)}`,
  }),
  volumes: (told) => ({
    says: "EC2's check of the attached volumes fails: one of its volumes does not answer, the root volume or a pod's.",
    next: `The EC2 console shows which (*Storage*, then the status checks of each volume). If it is the root volume, stop the instance and start it again. ${again(told)}`,
  }),
  instance: (told) => ({
    says: "EC2's instance status check fails: the operating system does not answer on the network.",
    ...withReboot(told, (reboot) => `Check the screenshot in the EC2 console. ${reboot} ${again(told)}`),
  }),
};

/** Next step where no route guard runs at start-up. */
const BY_HAND = `No route guard of Casement's is known on this machine, so a reboot may not bring its route back. At the console of the machine: ${code(ADD_ROUTE)}.`;

/** Ends the sentence on a silent agent by what the other sources say. */
function evidenceWords(evidence: AgentEvidence): string {
  switch (evidence.kind) {
    case "no-profile":
      return ": EC2 says that the instance has no instance profile, so the agent has no credentials";
    case "clock-ahead":
      return `, and its kubelet reports with a time ${age(evidence.byMs)} from now: the machine's clock is ahead, and AWS refuses what it signs`;
    case "clock-behind":
      return `, and its kubelet's last report is ${age(evidence.byMs)} old although its Node is Ready: most likely the machine's clock is behind, and AWS refuses what it signs`;
    case "many":
      return `, like ${evidence.silent} of ${evidence.of} agents of the cluster: the cause is most likely what they share`;
    case "kubelet-reports":
      return ", although its kubelet reports: Windows runs and has a network";
    case "kubelet-silent":
      return ", and neither does its kubelet";
    case "none":
      return "";
  }
}

/** Causes of a silence that has no evidence for one of them, the likeliest first. */
const candidates: Readonly<Record<"kubelet-reports" | "kubelet-silent" | "none", string>> = {
  "kubelet-reports":
    "Likely, in this order: the service `AmazonSSMAgent` is stopped, disabled or blocked; the route to the metadata service is lost; the way to Systems Manager is closed, by a security group, an endpoint or a proxy.",
  "kubelet-silent":
    "Likely, in this order: Windows hangs in its boot or installs updates; it has lost its network; the route to the metadata service is lost.",
  none: "Likely, in this order: Windows hangs in its boot or installs updates; the service `AmazonSSMAgent` is stopped, disabled or blocked; the route to the metadata service is lost.",
};

/** Way to see what Windows does. */
const SCREEN = "The EC2 console shows its screen (*Actions*, *Monitor and troubleshoot*, *Get instance screenshot*).";

function nextForSilent({ kind }: AgentEvidence, told: TroubleContext): Omit<TroubleText, "says"> {
  if (kind === "no-profile")
    return {
      next: `Attach the pool's instance profile in the EC2 console (*Actions*, *Security*, *Modify IAM role*). The agent finds it within an hour, or at its next start. ${again(told)}`,
    };
  if (kind === "many")
    return {
      next: `Check the interface endpoints of Systems Manager or the NAT gateway, their security groups, and the instance role. ${doctor()} names the silent machines. A reboot of one of them helps only if its cause is its own.`,
    };
  if (kind === "clock-ahead" || kind === "clock-behind")
    return {
      next: `${setClock} ${again(told)}`,
    };
  if (told.isObserved) return { next: `${candidates[kind]} ${BY_HAND}` };
  return {
    next: `${candidates[kind]} ${SCREEN} ${typeThis("reboot", told.node)} reboots it through EC2, once a person approved it: agent and route guard run at start-up. At the console of the machine: ${code(ADD_ROUTE)}.`,
    press: rebootPress(told),
  };
}

const agentSilent: Tell<"agent-silent"> = ({ since, evidence }, told) => ({
  says: `The SSM agent does not answer${since ? ` for ${between(since, told.now)}` : ""}${evidenceWords(evidence)}.`,
  ...nextForSilent(evidence, told),
});

/** Words for the troubles of an instance and its agent. */
export const instanceTells: { readonly [K in InstanceTrouble]: Tell<K> } = {
  "instance-down": instanceDown,
  "status-impaired": ({ of }, told) => statusWords[of](told),
  "agent-missing": () => ({
    says: "No SSM agent of this instance is registered.",
    next: `${doctor()} checks the instance role and the route to Systems Manager.`,
  }),
  "agent-silent": agentSilent,
  "agent-fails": ({ words }, told) => ({
    says: `The SSM agent takes commands, but cannot run them: ${foreign(words, 200)}. This happens where the metadata route is missing.`,
    ...withReboot(
      told,
      (reboot) =>
        `The route guard retries every minute. ${again(told)} ${reboot} At the console of the machine: ${code(ADD_ROUTE)}.`,
    ),
  }),
  "agent-blocked": ({ words }, told) => ({
    says: `The SSM agent takes commands, but Windows does not let it start PowerShell: ${foreign(words, 200)}.`,
    next: `A policy (AppLocker, Software Restriction, App Control) or a virus scanner blocks it: allow ${code("powershell.exe")} to the account SYSTEM there. A reboot does not help. ${again(told)}`,
  }),
  "agent-before-boot": ({ lastPingAt, bootedAt }, told) => ({
    says: `The SSM agent has not reported since the boot: its last report is ${between(lastPingAt, bootedAt)} older.`,
    next: again(told),
  }),
  "same-boot": ({ bootId, askedAt }, told) => ({
    says: `The machine has not rebooted since ${between(askedAt, told.now)} ago: its boot${bootId ? ` ${code(bootId)}` : ""} is the same.`,
    ...withReboot(told, (reboot) => `${reboot} ${again(told)}`),
  }),
};
