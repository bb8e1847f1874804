import { rulesIn } from "../commands/approvals.ts";
import { commandOf, commands } from "../commands/list.ts";
import { parse } from "../commands/parse.ts";
import { mayUse, mayUseSomewhere, usable } from "../commands/policy.ts";
import { poolNamed, type Request } from "../commands/request.ts";
import { cancelAnswer, startedAnswer } from "../messages/command/acknowledgements.ts";
import { commandHelp, helpMessage } from "../messages/command/help.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { usageMessage } from "../messages/command/usage.ts";
import { steerAnswer } from "../messages/rollout/steer.ts";
import type { Message } from "../records/records.ts";
import { accept, recordRefusal, wasRefusedHere } from "./accept.ts";
import { cancel } from "./cancel.ts";
import type { FrontDoor } from "./front-door.ts";
import { originRefusal, type Person, personOf, refusedByPolicy, type SlackSender } from "./permission.ts";
import { steer } from "./steer.ts";
import { vote } from "./vote.ts";

/** A slash command as Slack sends it. */
export interface SlashCommand extends SlackSender {
  readonly userName: string;
  readonly text: string;
  readonly triggerId: string;
  /** Address at which the acknowledgement can be replaced. */
  readonly responseUrl: string;
}

function help(door: FrontDoor, topic: string | null, person: Person): Message {
  const { configuration } = door;
  const theirs = usable(configuration, person.roles);
  return topic
    ? commandHelp(commandOf(topic), theirs)
    : helpMessage(commands, { ...person, usable: theirs }, configuration.cluster.name);
}

/**
 * Checks the policy of the pool that a command names. Without a pool, the workflow checks again once it knows the node.
 */
function isAllowed({ configuration }: FrontDoor, request: Request, { roles }: Person): boolean {
  const pool = poolNamed(request);
  return pool === undefined
    ? mayUseSomewhere(configuration, roles, request.command)
    : mayUse(rulesIn(configuration, pool), roles, request.command);
}

async function act(door: FrontDoor, typed: SlashCommand, request: Request, person: Person): Promise<Message> {
  const { userId, userName, channel, triggerId, responseUrl } = typed;
  const may = isAllowed(door, request, person);
  if (request.command === "cancel" && may)
    return cancelAnswer(await cancel(door, request.operation, userId, triggerId));
  if ((request.command === "pause" || request.command === "resume") && may) {
    const { command: decision, operation, ...how } = request;
    return steerAnswer(await steer(door, operation, { decision, ...how, userId, cause: triggerId }));
  }
  if ((request.command === "approve" || request.command === "deny") && may)
    return vote(door, { ...typed, ...request, decision: request.command, asking: null });
  const submission = { request, requester: { userId, userName, channel }, triggerId, responseUrl };
  const operation = await (may ? accept : recordRefusal)(door, submission);
  return wasRefusedHere(operation)
    ? refusalMessage(refusedByPolicy(door, request.command, person))
    : startedAnswer(operation);
}

/**
 * Answers a slash command: checks its origin, parses it, checks the person, then does or starts the work.
 * @returns the private answer
 * @throws if the ledger or the roster cannot be read
 */
export async function answerTo(door: FrontDoor, typed: SlashCommand): Promise<Message> {
  const { configuration } = door;
  const elsewhere = originRefusal(door, typed);
  if (elsewhere) return refusalMessage(elsewhere);
  const parsed = parse(typed.text, { pools: Object.keys(configuration.pools), commandWord: configuration.command });
  if ("problem" in parsed) return usageMessage(parsed.problem);
  const person = await personOf(door, typed);
  if ("refusal" in person) return refusalMessage(person.refusal);
  const { request } = parsed;
  if (request.command === "help") return help(door, request.topic, person);
  const unreadable = person.unreadablePools.filter((pool) => pool === poolNamed(request));
  if (unreadable.length > 0) return refusalMessage({ kind: "unreadable", command: request.command, pools: unreadable });
  return act(door, typed, request, person);
}
