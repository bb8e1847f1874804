import type { OperationRecord } from "../records.ts";
import { add } from "./add.ts";
import { approve } from "./approve.ts";
import { assist } from "./assist.ts";
import { audit } from "./audit.ts";
import { cancel } from "./cancel.ts";
import { type Command, isRollout, type Request } from "./command.ts";
import { cordon } from "./cordon.ts";
import { deny } from "./deny.ts";
import { doctor } from "./doctor.ts";
import { drain } from "./drain.ts";
import { freeze } from "./freeze.ts";
import { guard } from "./guard.ts";
import { help } from "./help.ts";
import { hold } from "./hold.ts";
import { node } from "./node.ts";
import { nodes } from "./nodes.ts";
import { operations } from "./operations.ts";
import { pause } from "./pause.ts";
import { prove } from "./prove.ts";
import { reboot } from "./reboot.ts";
import { remove } from "./remove.ts";
import { resume } from "./resume.ts";
import { thaw } from "./thaw.ts";
import { uncordon } from "./uncordon.ts";
import { unhold } from "./unhold.ts";
import { why } from "./why.ts";

/** Every command, in the order in which help shows them. */
export const commands: readonly Command[] = [
  help,
  nodes,
  node,
  why,
  add,
  cordon,
  uncordon,
  assist,
  guard,
  drain,
  reboot,
  prove,
  remove,
  freeze,
  thaw,
  hold,
  unhold,
  operations,
  audit,
  approve,
  deny,
  pause,
  resume,
  cancel,
  doctor,
];

/** Operations that a rule starts; no command starts them. */
const ofRules: ReadonlySet<string> = new Set<Request["command"]>(["authority"]);

/**
 * Does a command change something, so that people follow it as an operation?
 * @param name as in `request.command`; the ledger may hold words of other versions, which do not count
 */
export const isChange = (name: string): boolean =>
  ofRules.has(name) || commands.some((command) => command.name === name && command.effect === "change");

/** Would people call it an operation? Looking is none, and a mistake of the requester never became one. */
export const isOperation = ({ request, status }: Pick<OperationRecord, "request" | "status">): boolean =>
  isChange(request.command) && status !== "not-started";

/**
 * The command of a request.
 * @param name a command's own word, as in `request.command`
 * @returns the command; a request holds no other words than these
 */
export function commandOf(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (!found) throw new Error(`there is no command ${name}`);
  return found;
}

/** The durable function that runs a request, by its file name in workflows/; null when the front door answers alone. */
export function workflowOf(request: Request): string | null {
  const { workflow, workflowOfMany = null } = commandOf(request.command);
  return isRollout(request) ? workflowOfMany : workflow;
}
