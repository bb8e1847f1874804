import type { DeletionMark } from "../../cluster/deletion-marks.ts";
import { startingTaint } from "../../cluster/node-keys.ts";
import type { CheckName } from "../../health/check.ts";
import type { WaitingRequest } from "../../health/facts.ts";
import type { Trouble } from "../../health/trouble.ts";
import { typeThis } from "../command/syntax.ts";
import { untaint } from "../node/other-controllers.ts";
import { age, between } from "../slack/age.ts";
import { code, counted, plain, some } from "../slack/text.ts";
import { instanceTells } from "./instance-troubles.ts";
import { logWords } from "./log-words.ts";
import { networkTells } from "./network-troubles.ts";
import {
  ADD_ROUTE,
  again,
  doctor,
  foreign,
  removeCommand,
  setClock,
  type Tell,
  type TroubleContext,
  type TroubleText,
} from "./trouble-text.ts";

/** Names of the checks, as people read them. */
export const checkNames: Readonly<Record<CheckName, string>> = {
  instance: "EC2 instance",
  status: "EC2 status checks",
  agent: "SSM agent",
  boot: "New boot",
  clock: "Clock",
  disk: "Free disk",
  metadata: "Metadata service",
  routes: "Link-local routes",
  services: "Windows services",
  network: "Container network",
  "network-services": "Service proxy",
  exits: "Service exits",
  requests: "Certificate requests",
  registered: "Node object",
  heartbeat: "Kubelet heartbeat",
  ready: "Node condition Ready",
  cordon: "Scheduling",
  taints: "Taints",
  guard: "Route guard",
  "data-plane": "Data plane",
};

/** ERROR_SERVICE_NEVER_STARTED (winerror.h): no attempt to start the service was made since the last boot. */
const NEVER_STARTED = 1077;

function ended(exitCode: number): string {
  if (exitCode === NEVER_STARTED) return " and was not started since the boot";
  return exitCode === 0 ? "" : `, exit code ${exitCode}`;
}

const serviceDown: Tell<"service-down"> = ({ service, state, exitCode, log }, told) => {
  const end = ended(exitCode);
  const last = log ? ` Its log ends: ${logWords(log, 400)}` : "";
  return {
    says: `The Windows service ${code(service)} is ${plain(state, 40)}${end}.${last}`,
    next: `Start it in Session Manager: ${code(`Start-Service ${service}`)}. ${again(told)}`,
  };
};

const serviceExits: Tell<"service-exits"> = ({ service, times, last, log }, told) => ({
  says: `The Windows service ${code(service)} exited ${counted(times, "time")} in the last hour, last ${between(last, told.now)} ago.${log ? ` Its log ends: ${logWords(log, 400)}` : ""}`,
  next: `${typeThis("restart", told.node)} restarts the node's services, and pods stay. If ${code(service)} exits again, its log names the cause: a change of its configuration, or of what it reaches. ${again(told)}`,
  press: { text: "Restart services", command: `restart ${told.node}` },
});

const metadataSilent: Tell<"metadata-silent"> = ({ guardError }, told) => ({
  says: `The metadata service does not answer on the machine.${guardError ? ` The route guard says: ${foreign(guardError, 200)}.` : ""}`,
  next: `The route guard retries every minute. ${again(told)} At the console of the machine: ${code(ADD_ROUTE)}.`,
});

const gigabytes = (bytes: number): number => Math.floor(bytes / 1024 ** 3);

const guardWords = {
  missing: "The route guard is not on the machine: after a reboot no command would reach it.",
  disabled: "The task of the route guard is missing or disabled: after a reboot no command would reach the machine.",
  failing: "The last run of the route guard failed",
} as const;

/** Names the way on for marks of autoscalers; empty if there is none. */
const markedWords = (marks: readonly DeletionMark[], { node, now }: TroubleContext): string =>
  marks
    .map(({ key, since, isLeft }) => {
      const old = since === null ? "" : `${code(key)} is at least ${between(since, now)} old. `;
      const given = isLeft ? "Its controller left it behind:" : "If no autoscaler is deleting the node,";
      return `${old}${given} ${untaint(node, key)} lets pods start on it. `;
    })
    .join("");

/** The command for a request: approve what the node itself asks, look first at what another user asks in its name. */
function decideByHand({ name, by }: WaitingRequest): string {
  if (by === undefined) return `By hand: ${code(`kubectl certificate approve ${name}`)}.`;
  return `The node itself did not ask: ${code(`kubectl describe csr ${name}`)} shows who did. Deny it unless this machine is joining.`;
}

const keptAway = (taints: readonly string[]): string =>
  `${counted(taints.length, "taint")} that ${taints.length === 1 ? "keeps" : "keep"} pods away: ${some(taints.map(code), 5)}.`;

const tells: { readonly [K in Trouble["kind"]]: Tell<K> } = {
  ...instanceTells,
  "clock-wrong": ({ byMs }, told) => ({
    says: `The machine's clock is ${age(Math.abs(byMs))} ${byMs > 0 ? "ahead" : "behind"}: AWS refuses what it signs, and Casement's orders expire on it.`,
    next: `${setClock} It needs a route to Amazon Time Sync, ${code("169.254.169.123")}. ${again(told)}`,
  }),
  "disk-low": ({ freeBytes, sizeBytes }, told) => ({
    says: `The system drive is nearly full: ${gigabytes(freeBytes)} of ${gigabytes(sizeBytes)} GB are free. Images cannot be pulled, and kubelet and scripts may fail.`,
    next: `The kubelet removes unused images. Remove what else fills the drive, such as logs and dumps, in Session Manager; or add a node with a larger drive, then run ${removeCommand(told)}. ${again(told)}`,
  }),
  "metadata-silent": metadataSilent,
  "routes-missing": ({ prefixes }, told) => ({
    says: `${prefixes.length} of the 6 routes from the machine to AWS's services are missing or use the wrong adapter: ${some(prefixes.map(code), 6)}.`,
    next: `The route guard repairs them every minute. ${again(told)}`,
  }),
  "service-missing": ({ service }, told) => ({
    says: `The Windows service ${code(service)} does not exist.`,
    next: `The machine was changed outside Casement. Add a node, then run ${removeCommand(told)}.`,
  }),
  "service-down": serviceDown,
  "service-exits": serviceExits,
  ...networkTells,
  "requests-waiting": ({ requests }, told) => ({
    says: `${counted(requests.length, "certificate request")} of this node ${requests.length === 1 ? "waits" : "wait"} for approval: ${some(
      requests.map(
        ({ name, since, by }) => `${code(name)} (${between(since, told.now)}${by ? `, by ${code(by)}` : ""})`,
      ),
      3,
    )}.`,
    next: `${doctor()} checks the approvers. ${requests.slice(0, 1).map(decideByHand).join("")}`,
  }),
  "not-registered": (_, told) => ({
    says: "The cluster has no Node for this machine.",
    next: `${typeThis("node", told.node)} shows what is known about it.`,
  }),
  "heartbeat-old": ({ heartbeatAt }, told) => ({
    says: `The kubelet's last report is ${between(heartbeatAt, told.now)} old, or from before the last boot.`,
    next: `The kubelet runs but does not reach the API server, or does not run. ${doctor()} checks the API server; the log is ${code("C:\\var\\log\\kubelet\\kubelet.log")}.`,
  }),
  "not-ready": ({ status, reason, message }, told) => ({
    says: `The node is not Ready (${plain(status, 20)})${reason ? `: ${plain(reason, 80)}` : ""}${message ? `: ${foreign(message, 200)}` : ""}.`,
    next: `The log of the kubelet is ${code("C:\\var\\log\\kubelet\\kubelet.log")}. If this persists, add a node, then run ${removeCommand(told)}.`,
  }),
  cordoned: ({ by, quarantined }, told) => ({
    says: quarantined
      ? "The node is quarantined: two of its reboots could not be verified within a day. It stays cordoned until someone takes it out of quarantine."
      : by
        ? `The node is cordoned by ${code(by)}.`
        : "The node is cordoned, not by Casement.",
    next: quarantined
      ? `When it works: ${typeThis("uncordon", told.node, "--quarantined", told.node)}. ${again(told)}`
      : `${typeThis("uncordon", told.node)} lets pods start on it again.`,
    // A node that an operation holds is given back by that operation.
    ...(by === null && !quarantined ? { press: { text: "Uncordon", command: `uncordon ${told.node}` } } : {}),
  }),
  tainted: ({ taints, marks = [] }, told) => ({
    says: `The node has ${keptAway(taints)}`,
    next: taints.some((taint) => taint.startsWith(startingTaint.key))
      ? `A Node that registers anew keeps ${code(startingTaint.key)}. If no operation works on it, ${code(`kubectl taint node ${told.node} ${startingTaint.key}-`)} lets pods start on it. ${again(told)}`
      : `Kubernetes removes its own taints when their cause is gone. ${markedWords(marks, told)}${again(told)}`,
  }),
  "tainted-by-others": ({ taints, keys }, told) => ({
    says: `Another controller, or a person, gave the node ${keptAway(taints)}`,
    next: `Once nothing needs ${keys.length === 1 ? "it" : "them"}: ${some(
      keys.map((key) => untaint(told.node, key)),
      3,
    )}. ${again(told)}`,
  }),
  "guard-broken": ({ what, error }, told) => ({
    says: what === "failing" ? `${guardWords.failing}${error ? `: ${foreign(error, 200)}` : ""}.` : guardWords[what],
    next: `Do not reboot the machine: ${typeThis("guard", told.node)} installs the guard. ${again(told)}`,
    press: { text: "Install the guard", command: `guard ${told.node}` },
  }),
};

/** Says a trouble in words. */
export const troubleWords = (trouble: Trouble, told: TroubleContext): TroubleText =>
  (tells[trouble.kind] as (trouble: Trouble, told: TroubleContext) => TroubleText)(trouble, told);
