import type { Command, Option, Targets } from "../capabilities/command.ts";
import type { Problem } from "./problem.ts";
import type { Request } from "./request.ts";

/** Fields of a request as they were read; those of several nodes may be among them. */
interface Fields {
  readonly [field: string]: unknown;
  readonly targets?: Targets | { readonly kind: "all" };
}

const fieldOf = ({ option, field = option }: Option): string => field;

/** Fields that the command's other form has. */
const without = (fields: Fields, options: readonly Option[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !options.some((option) => fieldOf(option) === name)));

/**
 * Shapes the request of a command: one node alone is the request on that node, without what only several nodes need.
 * @param fields as the command's own arguments and options were read
 * @returns a problem where an option was given that is for one node alone
 */
export function shaped(
  command: Command,
  fields: Fields,
): { readonly request: Request } | { readonly problem: Problem } {
  const { targets, ...rest } = fields;
  if (command.workflowOfMany === undefined || targets === undefined) return { request: fields as Request };
  const ofOne = command.options.filter((option) => option.of === "one");
  const ofSeveral = command.options.filter((option) => option.of === "several");
  if (targets.kind === "nodes" && targets.nodes.length === 1 && rest.due !== true)
    return { request: { ...without(rest, ofSeveral), node: targets.nodes[0] } as Request };
  const option = ofOne.find((option) => fieldOf(option) in rest);
  return option ? { problem: { kind: "only-of-one", command, option } } : { request: fields as Request };
}
