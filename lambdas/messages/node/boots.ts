import type { BootCause } from "../../machine/boot-cause.ts";
import type { BootNews } from "../../machine/seen-machine.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { localDate } from "../slack/age.ts";
import { actions, section } from "../slack/blocks.ts";
import { LOOK_AGAIN } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, plain, some } from "../slack/text.ts";

/** Nodes named in one line; the rest is counted. */
const MOST_NODES = 8;

/** Causes that one message names; the rest is counted. */
const MOST_CAUSES = 10;

/** Unclean boots of so many nodes at once have one cause, which is not theirs. */
const AT_ONCE = 3;

/** Reasons for an event log that was not read, as clauses. */
export const unreadLog = {
  silent: "the machine did not answer",
  cut: "its answer was longer than SSM shows of each of many machines",
} as const;

/** Cause of a boot, as a clause. */
export function bootCauseWords(cause: BootCause): string {
  if (cause.kind === "asked") return plain(cause.text, 200);
  if (cause.kind === "unread") return `the event log was not read: ${plain(cause.why, 150)}`;
  return causes[cause.kind];
}

const causes: Readonly<Record<Exclude<BootCause["kind"], "asked" | "unread">, string>> = {
  "ec2-start": "EC2 stopped the instance and started it again",
  unclean: "it was not shut down before: a crash, a reset or a loss of power",
  "windows-update": "Windows Update restarted it",
  untold: "the event log does not say why",
};

/** A node that booted without an order of Casement's. */
export interface ForeignBootNews extends BootNews {
  readonly node: string;
}

const when = ({ bootedAt }: ForeignBootNews): string => (bootedAt === null ? "" : ` at ${localDate(bootedAt)}`);

function oneBoot(boot: ForeignBootNews): Message {
  const { node, cause } = boot;
  const text = `${sign.rebooted} ${code(node)} rebooted${when(boot)}, and Casement did not order it. Cause: ${bootCauseWords(cause)}.`;
  const next = `Next: ${typeThis("why", node)} checks that the node works.`;
  return {
    text,
    blocks: [
      section(`${text} ${next}`),
      actions(`boot:${node}`.slice(0, 255), [{ actionId: LOOK_AGAIN, value: `why ${node}`, text: "Why" }]),
    ],
  };
}

/** Says what several boots have in common, and what to look at first. */
function meaning(boots: readonly ForeignBootNews[]): string {
  const unclean = boots.filter(({ cause }) => cause.kind === "unclean").length;
  const list = `${typeThis("nodes")} shows which of them are Ready`;
  return unclean >= AT_ONCE
    ? `${unclean} of them were not shut down before, so one cause is likely, such as a loss of power: look at the AWS Health Dashboard. Next: ${list}.`
    : `Next: ${list}.`;
}

/** Tells of boots that Casement did not order: those that one observation found are one message. @param boots at least one */
export function foreignBootsMessage(boots: readonly ForeignBootNews[]): Message {
  const [first] = boots;
  if (first && boots.length === 1) return oneBoot(first);
  const groups = [...Map.groupBy(boots, ({ cause }) => bootCauseWords(cause))].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const lines = groups.slice(0, MOST_CAUSES).map(([cause, nodes]) => {
    const names = some(
      nodes.map(({ node }) => code(node)),
      MOST_NODES,
    );
    return `• ${names}: ${cause}`;
  });
  const more = groups.length > MOST_CAUSES ? [`• ${groups.length - MOST_CAUSES} more causes`] : [];
  const head = `${sign.rebooted} *${boots.length} of ${counted(first?.of ?? boots.length, "node")} rebooted*, and Casement did not order it.`;
  return {
    text: head,
    blocks: [section([head, ...lines, ...more, meaning(boots)].join("\n").slice(0, 3_000))],
  };
}
