import { startingTaint } from "../../cluster/node-keys.ts";
import type { Message } from "../../records/records.ts";
import type { Stray } from "../../records/stray.ts";
import { typeThis } from "../command/syntax.ts";
import { actions, say, section } from "../slack/blocks.ts";
import { LOOK_AGAIN } from "../slack/buttons.ts";
import { code, counted, some } from "../slack/text.ts";

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

/** Words for each kind. */
const words: Readonly<Record<Stray["kind"], (strays: readonly Stray[], first: Stray) => StrayWords>> = {
  "no-node": (strays, first) => {
    const [runs, is, its, it] = strays.length === 1 ? ["runs", "is", "its", "it"] : ["run", "are", "their", "them"];
    const replace = first.pool === null ? "" : `, and ${typeThis("add", first.pool)} replaces it`;
    return {
      says: `${named(strays, "machine")} ${runs} and ${is} billed, and ${its} Node is gone. No operation works on ${it}`,
      next: `${typeThis("remove", nameOf(first))} terminates it${replace}. A reboot in EC2's console registers it again`,
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

/** Message on machines of one kind that a look has found. */
export function strayMessage(kind: Stray["kind"], strays: readonly Stray[]): Message {
  const [first] = strays;
  if (!first) throw new RangeError("a message on strays needs one");
  const { says, next } = words[kind](strays, first);
  const why = { actionId: LOOK_AGAIN, value: `why ${nameOf(first)}`, text: "Why" };
  return {
    text: `⚠️ ${says}.`,
    blocks: [
      section(`⚠️ ${says}. Next: ${next}.`),
      ...(kind === "starting" ? [actions(`stray:${nameOf(first)}`.slice(0, 255), [why])] : []),
    ],
  };
}

/** Message on machines that are no longer what they were found to be. */
export function strayEndMessage(kind: Stray["kind"], strays: readonly Stray[]): Message {
  const [is, no] = strays.length === 1 ? ["is", "carries"] : ["are", "carry"];
  return say(
    kind === "starting"
      ? `✅ ${named(strays, "node")} no longer ${no} the taint ${code(startingTaint.key)}.`
      : `✅ ${named(strays, "machine")} ${is} a node again, or gone.`,
  );
}
