import type { CheckName, CheckResult } from "../../health/check.ts";
import { checked, type Fault, firstWrong } from "../../health/checks.ts";
import { bootTime, type HealthFacts, type MachineFacts } from "../../health/facts.ts";
import { bootCause } from "../../machine/boot-cause.ts";
import { isSameBoot } from "../../machine/boots.ts";
import { type Answers, isCuredByRestart } from "../../machine/questions.ts";
import type { RebootDue } from "../../machine/reboot-due.ts";
import { renewalFaultIn } from "../../machine/renewal.ts";
import type { OwnReboot } from "../../machine/seen-machine.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { scheduledEventLine } from "../health/scheduled-events.ts";
import { checkNames, troubleWords } from "../health/trouble.ts";
import type { TroubleContext, TroubleText } from "../health/trouble-text.ts";
import { renewalFaultText, renewalRemedy } from "../mirrors/renewals.ts";
import { age, between } from "../slack/age.ts";
import { actions, type Button, section, sections } from "../slack/blocks.ts";
import { DO_NEXT, LOOK_AGAIN, OPEN_AWS } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code, codeLine, counted, fenced, plain } from "../slack/text.ts";
import { giveDirectWay, proxiedMachine } from "./agent-proxy.ts";
import { bootCauseWords } from "./boots.ts";
import { type IdentityFault, identityLine } from "./identity.ts";
import { chronicWords, reasonWords } from "./reboot-due.ts";

/** Facts of one node, and what its answer shows beside them. */
export interface Why {
  readonly node: string;
  readonly facts: HealthFacts;
  /** The operation that works on the node. */
  readonly heldBy: string | null;
  /** Pool of the machine; null if it has none, or if that is not known. */
  readonly pool?: string | null;
  /** The machine's last reboot that Casement ordered. */
  readonly ownReboot?: OwnReboot | null;
  /** Address of the instance in the EC2 console. */
  readonly console?: string | null;
  /** The machine was asked and has not answered yet: the message changes when it does. */
  readonly isAsked: boolean;
  /** Reboot due, by the last scheduled observation. */
  readonly rebootDue?: RebootDue;
  /** Casement is not known to act for the machine. */
  readonly isObserved?: boolean;
  /** Reason why the Node does not belong to the machine. */
  readonly identity?: IdentityFault | null;
}

const GIGABYTE = 1024 ** 3;

/** The reboot that Windows waits for: what the machine says now, else what the last scheduled observation found. */
function rebootLine({ machine, now }: HealthFacts, due: RebootDue | undefined, { node }: TroubleContext): string {
  const said = machine.known ? machine.value.answers.reboot?.reasons : undefined;
  const known = due?.state === "due" ? due : null;
  const reasons = said ?? known?.reasons ?? [];
  if (reasons.length === 0) return "";
  const since = known ? ` since ${between(known.since, now)}` : "";
  const seen = said === undefined && known ? ` It was last checked ${between(known.seenAt, now)} ago.` : "";
  const restart = reasons.every(isCuredByRestart)
    ? ` ${typeThis("restart", node)} restarts its services without a reboot.`
    : "";
  if (known?.chronic)
    return `Windows waits for a reboot${since}: ${reasonWords(reasons)}.${seen} ${chronicWords(known.chronic, now)}`;
  return `Windows waits for a reboot${since}: ${reasonWords(reasons)}.${seen} ${typeThis("reboot", node)} reboots it.${restart}`;
}

/** The renewal of ECR's passwords that failed; empty if it did not, and on a machine without it. */
function renewalLine(answers: Answers): string {
  const fault = renewalFaultIn(answers);
  if (!fault || fault.kind === "missing") return "";
  return `${renewalFaultText(fault)}. *Next:* ${renewalRemedy(fault)}.`;
}

/** Milliseconds after an order within which a boot is its own, until it is proven: a proof waits so long for updates. */
const ORDERED_MS = 2 * 60 * 60_000;

/** Did the operation order the boot? One that it has not proven yet is known by its time. @param booted by Casement's clock */
function isOrdered({ bootId, at }: OwnReboot, verdict: MachineFacts["verdict"], booted: number): boolean {
  if (bootId !== null) return isSameBoot(bootId, verdict.bootId);
  const after = booted - Date.parse(at);
  return after >= 0 && after <= ORDERED_MS;
}

/** Cause of the last boot: an operation that ordered it, else what Windows' log says. */
function bootWords({ verdict, answers: { boot } }: MachineFacts, own: OwnReboot | null, booted: number): string {
  if (own && isOrdered(own, verdict, booted)) return `${code(own.operation)} ordered it`;
  return boot ? bootCauseWords(bootCause(boot.events, Date.parse(boot.bootedAt))) : "";
}

/** Further facts of the machine, one line each. */
function besides({ facts, rebootDue: due, ownReboot = null }: Why, told: TroubleContext): string[] {
  const { machine, now } = facts;
  const waits = rebootLine(facts, due, told);
  if (!machine.known) return waits === "" ? [] : [waits];
  const { boot, guard, disk, agent } = machine.value.answers;
  const booted = bootTime(facts);
  return [
    boot && booted !== null
      ? `Booted ${age(Date.parse(now) - booted)} ago: ${bootWords(machine.value, ownReboot, booted)}.`
      : "",
    waits,
    renewalLine(machine.value.answers),
    agent && agent.proxiedBy.length > 0
      ? `Casement cannot write to this machine: ${proxiedMachine(agent.proxiedBy)}. ${giveDirectWay}.`
      : "",
    guard && guard.repairs > 0 ? `The route guard has repaired routes in ${counted(guard.repairs, "run")}.` : "",
    disk
      ? `Free disk: ${Math.floor(disk.freeBytes / GIGABYTE)} GB of ${Math.floor(disk.sizeBytes / GIGABYTE)} GB.`
      : "",
  ].filter((line) => line !== "");
}

const marks: Readonly<Record<CheckResult["state"], string>> = {
  ok: "ok",
  wrong: "WRONG",
  unknown: "unknown",
  skipped: "not probed",
};

/** Time of a scheduled probe that a check goes by; null for a check of now. */
function probedAt(check: CheckResult): string | null {
  if (check.state === "ok" || check.state === "skipped") return check.at ?? null;
  return check.state === "wrong" && check.trouble.kind === "data-plane" ? (check.trouble.at ?? null) : null;
}

/** @param now ISO 8601 */
const lineAt =
  (now: string) =>
  (check: CheckResult): string => {
    const at = probedAt(check);
    const when = at === null ? "" : `, ${check.state === "skipped" ? "tried" : "probed"} ${between(at, now)} ago`;
    return codeLine(`${checkNames[check.name].padEnd(22)} ${marks[check.state]}${when}`);
  };

/** Checks that were not made by design, each with its reason. */
const skips = (all: readonly CheckResult[]): string[] =>
  all.flatMap((one) =>
    one.state === "skipped" ? [`${checkNames[one.name]} not probed: ${plain(one.why, 300)}.`] : [],
  );

/** Sentence for a node on which no check found a fault. */
function allWell(all: readonly CheckResult[], told: TroubleContext, isAsked: boolean): string {
  const open = all.filter(({ state }) => state === "unknown").length;
  if (open === 0) return `${sign.done} ${code(told.node)}: all checks passed.`;
  if (isAsked) return `${sign.running} ${code(told.node)}: no problem found so far. Waiting for the machine's answer.`;
  return `${sign.warning} ${code(told.node)}: no problem found, but ${open} of ${all.filter(({ state }) => state !== "skipped").length} checks could not be made.`;
}

const wrongText = (fault: Fault, told: TroubleContext): string =>
  `${sign.failed} ${code(told.node)}: ${troubleWords(fault.trouble, told).says}`;

/** Services that gave no facts, each with its reason, in the order of the checks. */
const unknowns = (all: readonly CheckResult[]): string[] => [
  ...new Set(all.flatMap((one) => (one.state === "unknown" ? [one.why] : []))),
];

/** Checks whose troubles the EC2 console shows more of. */
const OF_EC2: ReadonlySet<CheckName> = new Set(["instance", "status", "agent"]);

/** Is it a machine of Casement's that no Node has? Then most commands for nodes do not find it. */
const isNodeless = ({ facts: { kubernetes }, isObserved = false }: Why): boolean =>
  !isObserved && kubernetes.known && !kubernetes.value.registered;

/** Next step for a machine without a Node: what its setup lacks is no change that somebody made. */
function nextWithoutNode({ node, heldBy, pool = null }: Why): string {
  if (heldBy) return `No Node has this machine yet: the message of ${code(heldBy)} shows what is done with it.`;
  const another = pool === null ? "" : ` ${typeThis("add", pool)} adds another one.`;
  return `No Node has this machine, and no operation works on it. ${typeThis("remove", node)} terminates it.${another}`;
}

/** Next step after a fault; the approval of a waiting request helps a machine without a Node too. */
function helpOf(why: Why, { trouble }: Fault, told: TroubleContext): Pick<TroubleText, "next" | "press"> {
  if (!isNodeless(why) || trouble.kind === "requests-waiting") return troubleWords(trouble, told);
  return { next: nextWithoutNode(why), press: { text: "Remove…", command: `remove ${why.node}` } };
}

/** Buttons that check again, do what helps while no operation holds the node, and open the instance's page. */
function buttonsOf(why: Why, fault: Fault | undefined, told: TroubleContext): Button[] {
  const { node, heldBy, console = null } = why;
  const press = fault && heldBy === null ? helpOf(why, fault, told).press : undefined;
  return [
    { actionId: LOOK_AGAIN, value: `why ${node}`, text: "Check again" },
    ...(press ? [{ actionId: DO_NEXT, value: press.command, text: press.text }] : []),
    ...(console && fault && OF_EC2.has(fault.name)
      ? [{ actionId: OPEN_AWS, value: `why ${node}`, text: "Open in AWS", url: console }]
      : []),
  ];
}

/** Says what is wrong with a node first, what helps, and what each check found. */
export function whyMessage(why: Why): Message {
  const { node, facts, heldBy, pool = null, isAsked, isObserved = false, identity = null } = why;
  const told: TroubleContext = { node, now: facts.now, isObserved };
  const all = checked(facts);
  const fault = firstWrong(all);
  const text = fault ? wrongText(fault, told) : allWell(all, told, isAsked);
  const others = all.filter((one): one is Fault => one.state === "wrong" && one !== fault);
  const more = others.map((one) => `• ${troubleWords(one.trouble, told).says}`);
  const scheduled = facts.ec2.known ? (facts.ec2.value.events ?? []) : [];
  const notes = [
    ...(identity ? [`${sign.warning} ${identityLine(identity)}`] : []),
    ...(fault ? [`*Next:* ${helpOf(why, fault, told).next}`] : []),
    ...scheduled.map((event) => scheduledEventLine({ node, pool }, event)),
    ...skips(all),
    ...unknowns(all).map((why) => `Not known: ${plain(why, 200)}.`),
    ...(isAsked ? ["This message is updated when the machine answers."] : []),
    ...(heldBy ? [`${code(heldBy)} is working on this node; ${typeThis("cancel", heldBy)} stops it.`] : []),
  ];
  return {
    text,
    blocks: [
      section(text),
      ...sections(notes),
      ...sections(more.length > 0 ? ["*Also failing, possibly for the same reason*", ...more] : []),
      ...sections(all.map(lineAt(facts.now)), fenced),
      ...sections(besides(why, told)),
      actions("why", buttonsOf(why, fault, told)),
    ],
  };
}

/** Reasons for facts that are missing, in words that follow "Not known:". */
export const missing = {
  noInstance: "EC2 knows no instance of this node",
  owner: "the machine was not asked, because it could not be read whether Casement assists it",
  otherNode: "the machine was not asked, because it and its Node do not belong together",
  notOurs: "the machine was not asked, because Casement neither launched nor assists it",
  notAsked: "the machine was not asked, because its SSM agent is not online",
  notRunning: (state: string): string => `the machine was not asked, because the instance is ${state}`,
  noAnswer: (seconds: number): string => `the machine did not answer within ${seconds} s`,
  failed: (why: string): string => `checking the machine failed: ${why}`,
  notYet: "the machine has not answered yet",
  notSent: (why: string): string => `the machine was not asked: ${why}`,
} as const;
