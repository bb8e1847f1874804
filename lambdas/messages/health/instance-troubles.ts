import type { Trouble } from "../../health/trouble.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { code, plain } from "../slack/text.ts";
import {
  ADD_ROUTE,
  again,
  doctor,
  foreign,
  REBOOT,
  rebootPress,
  removeCommand,
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
    next: `Check the screenshot in the EC2 console. ${told.isObserved ? "Its owner decides about a reboot." : REBOOT} ${again(told)}`,
  }),
};

/** Next step where no route guard runs at start-up. */
const BY_HAND = `No route guard of Casement's is known on this machine, so a reboot may not bring its route back. At the console of the machine: ${code(ADD_ROUTE)}.`;

const agentSilent: Tell<"agent-silent"> = ({ since }, told) => ({
  says: `The SSM agent does not answer${since ? ` for ${between(since, told.now)}` : ""}. Without the metadata route the agent cannot start.`,
  ...(told.isObserved
    ? { next: BY_HAND }
    : {
        next: `${typeThis("reboot", told.node)} reboots it through EC2, once a person approved it: the route guard runs at start-up. At the console of the machine: ${code(ADD_ROUTE)}.`,
        press: rebootPress(told),
      }),
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
    next: `The route guard retries every minute. ${again(told)} ${REBOOT} At the console of the machine: ${code(ADD_ROUTE)}.`,
  }),
  "agent-before-boot": ({ lastPingAt, bootedAt }, told) => ({
    says: `The SSM agent has not reported since the boot: its last report is ${between(lastPingAt, bootedAt)} older.`,
    next: again(told),
  }),
  "same-boot": ({ bootId, askedAt }, told) => ({
    says: `The machine has not rebooted since ${between(askedAt, told.now)} ago: its boot${bootId ? ` ${code(bootId)}` : ""} is the same.`,
    next: `${REBOOT} ${again(told)}`,
  }),
};
