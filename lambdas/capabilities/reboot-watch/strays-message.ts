import { startingTaint } from "../../cluster/node-keys.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { actions, say, section } from "../../messages/slack/blocks.ts";
import { LOOK_AGAIN } from "../../messages/slack/buttons.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, counted, some } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";
import type { Stray } from "../../records/stray.ts";

/** Most machines that a message names. */
const MOST = 8;

const nameOf = ({ node, instanceId }: Stray): string => node ?? instanceId;

const named = (strays: readonly Stray[], noun: string): string => {
  const names = some(
    strays.map((one) => code(nameOf(one))),
    MOST,
  );
  return strays.length === 1 ? names : `${counted(strays.length, noun)} (${names})`;
};

/** Trouble of machines, and the next step for the first of them. */
interface StrayWords {
  readonly says: string;
  readonly next: string;
}

/** Next step for a machine without a Node. @param registers what registers it again */
function withoutNode(first: Stray, registers: string): string {
  const replace = first.pool === null ? "" : `, and ${typeThis("add", first.pool)} replaces it`;
  return `${typeThis("remove", nameOf(first))} terminates it${replace}. If it was a node, ${registers} in EC2's console registers it again`;
}

/** Words for each kind. */
const words: Readonly<Record<Stray["kind"], (strays: readonly Stray[], first: Stray) => StrayWords>> = {
  "no-node": (strays, first) => {
    const [runs, is, has, it] = strays.length === 1 ? ["runs", "is", "has", "it"] : ["run", "are", "have", "them"];
    return {
      says: `${named(strays, "machine")} ${runs} and ${is} billed, and ${has} no Node. No operation works on ${it}`,
      next: withoutNode(first, "a reboot"),
    };
  },
  stopped: (strays, first) => {
    const [is, has, it] = strays.length === 1 ? ["is", "has", "it"] : ["are", "have", "them"];
    return {
      says: `${named(strays, "machine")} ${is} stopped and ${has} no Node, and the disks are billed. No operation works on ${it}`,
      next: withoutNode(first, "a start"),
    };
  },
  starting: (strays, first) => {
    const [carries, it] = strays.length === 1 ? ["carries", "it"] : ["carry", "them"];
    const command = code(`kubectl taint node ${nameOf(first)} ${startingTaint.key}-`);
    return {
      says: `${named(strays, "node")} still ${carries} the taint ${code(startingTaint.key)}, and no operation works on ${it}: no pods start there`,
      next: `${typeThis("why", nameOf(first))}; if it names nothing but the taint, ${command} lets pods start`,
    };
  },
};

/** Message on machines of one kind that an observation has found. */
export function strayMessage(kind: Stray["kind"], strays: readonly Stray[]): Message {
  const [first] = strays;
  if (!first) throw new RangeError("a message on strays needs one");
  const { says, next } = words[kind](strays, first);
  const why = { actionId: LOOK_AGAIN, value: `why ${nameOf(first)}`, text: "Why" };
  return {
    text: `${sign.warning} ${says}.`,
    blocks: [
      section(`${sign.warning} ${says}. Next: ${next}.`),
      ...(kind === "starting" ? [actions(`stray:${nameOf(first)}`.slice(0, 255), [why])] : []),
    ],
  };
}

/** Message on machines whose trouble has ended. */
export function strayEndMessage(kind: Stray["kind"], strays: readonly Stray[]): Message {
  const [is, no, runs] = strays.length === 1 ? ["is", "carries", "runs"] : ["are", "carry", "run"];
  if (kind === "starting")
    return say(`${sign.done} ${named(strays, "node")} no longer ${no} the taint ${code(startingTaint.key)}.`);
  if (kind === "stopped") return say(`${sign.done} ${named(strays, "machine")} ${runs} again, or ${is} terminated.`);
  return say(`${sign.done} ${named(strays, "machine")} ${is} a node again, or ${runs} no longer.`);
}
