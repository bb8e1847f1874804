import type { Command } from "../../capabilities/command.ts";
import { formOf } from "../../commands/form.ts";
import { commands, scheduledOperations } from "../../commands/list.ts";
import { hostOf } from "../../commands/node-matches.ts";
import { LONGEST_COMMAND } from "../../commands/normalize.ts";
import type { Request } from "../../commands/request.ts";
import type { OperationRecord } from "../../records/records.ts";
import { codeSpan } from "../slack/text.ts";

/** Usage of a command, as code for a message. */
export const shownForm = (command: Command): string => typeThis(formOf(command));

/** Command to type, as code, with `{win}` for its first word. */
export const typeThis = (...words: readonly (string | number)[]): string =>
  codeSpan(words.join(" "), LONGEST_COMMAND).replace("`", "`{win} ");

/** A request with the host names of its nodes, so that its title is the same however they were typed. */
function withHosts(request: Request): Request {
  if ("node" in request) return { ...request, node: hostOf(request.node) };
  if (!("targets" in request) || !("nodes" in request.targets)) return request;
  const { targets } = request;
  return { ...request, targets: { ...targets, nodes: targets.nodes.map(hostOf) } } as Request;
}

/**
 * Title of a request in a few words, not escaped: "Add 2 nodes to web". For a word of another version, which the ledger may
 * contain after a release was taken back, it is that word.
 */
export function titleOf(request: Request): string {
  const named = ({ name }: { readonly name: string }): boolean => name === request.command;
  const { title } = scheduledOperations.find(named) ?? commands.find(named) ?? { title: () => request.command };
  return title(withHosts(request) as never);
}

/** An operation, with what its title is made of. */
export type TitledOperation = Pick<OperationRecord, "request" | "nodeName">;

/** Title of an operation, which names the node that was found, however it was typed: "Remove win-3", not "Remove i-0ab12". */
export const titleOfOperation = ({ request, nodeName }: TitledOperation): string =>
  titleOf("node" in request && nodeName !== undefined ? { ...request, node: nodeName } : request);
