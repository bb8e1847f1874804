import type { RuleChange } from "../../audit/rules-change.ts";
import { context, fitting, section } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, counted, plain, prose } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";

/** A person as a mention, anything else as code. */
const value = (text: string): string => (/^[UW][A-Z0-9]{2,20}$/.test(text) ? prose(`<@${text}>`) : code(text));

const values = (all: readonly string[]): string => all.map(value).join(", ");

const line = ({ path, added, removed }: RuleChange): string =>
  `• ${code(path)}: ${[
    ...(added.length > 0 ? [`added ${values(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${values(removed)}`] : []),
  ].join("; ")}`;

/** Message in the channel: a deployment changed permissions. @param version of the release document */
export function rulesChanged(changes: readonly RuleChange[], cluster: string, version: string): Message {
  const title = `A deployment changed who may do what in ${plain(cluster, 60)}`;
  const head = section(`${sign.rules} *${title}*`);
  const foot = context(
    `Configuration version ${code(version)}. If you did not expect it, find the deployment in CloudFormation (docs/security.md).`,
  );
  const more = context(`${counted(changes.length, "change")} in total; the rest did not fit.`);
  const shown = fitting(
    changes.map((change) => [section(line(change).slice(0, 2_900))]),
    [head, foot, more],
    40,
  ).flat();
  return {
    text: `${sign.rules} ${title}`,
    blocks: [head, ...shown, ...(shown.length < changes.length ? [more] : []), foot],
  };
}
