import type { Request } from "../commands/command.ts";
import { commandOf, commands } from "../commands/list.ts";
import { parse } from "../commands/parse.ts";
import { mayUse, usable } from "../commands/policy.ts";
import { cancelAnswer, startedAnswer } from "../messages/command/acknowledgements.ts";
import { commandHelp, helpMessage } from "../messages/command/help.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { usageMessage } from "../messages/command/usage.ts";
import type { Message } from "../records.ts";
import { cancel } from "./cancel.ts";
import { begin, isTurnedDown, turnDown } from "./accept.ts";
import { misplaced, type Origin, type Person, personOf } from "./permission.ts";
import type { FrontDoorWorld } from "./front-door.ts";

/** A slash command as Slack sends it. */
export interface Typed extends Origin {
  readonly userName: string;
  readonly text: string;
  readonly triggerId: string;
}

function help(world: FrontDoorWorld, topic: string | null, person: Person): Message {
  const { configuration } = world;
  const theirs = usable(configuration, person.roles);
  return topic
    ? commandHelp(commandOf(topic), theirs, configuration.command)
    : helpMessage(commands, theirs, configuration.command, configuration.cluster.name);
}

async function act(world: FrontDoorWorld, typed: Typed, request: Request, person: Person): Promise<Message> {
  const { configuration } = world;
  const { userId, userName, channel, triggerId } = typed;
  const may = mayUse(configuration, person.roles, request.command);
  if (request.command === "cancel" && may)
    return cancelAnswer(await cancel(world, request.operation, userId, triggerId), configuration.command);
  const asked = { request, asker: { userId, userName, channel }, triggerId };
  const operation = await (may ? begin : turnDown)(world, asked);
  return isTurnedDown(operation)
    ? refusalMessage({ kind: "policy", command: request.command }, configuration.command)
    : startedAnswer(operation, configuration.command);
}

/**
 * Answers a slash command: where from, what, who, may they; then it is done, or begun.
 * @returns what the asker alone reads
 * @throws when the ledger or Slack's directory does not answer
 */
export async function answerTo(world: FrontDoorWorld, typed: Typed): Promise<Message> {
  const { configuration } = world;
  const elsewhere = misplaced(world, typed);
  if (elsewhere) return refusalMessage(elsewhere, configuration.command);
  const parsed = parse(typed.text, { pools: Object.keys(configuration.pools), commandWord: configuration.command });
  if ("problem" in parsed) return usageMessage(parsed.problem, configuration.command);
  const person = await personOf(world, typed);
  if ("refusal" in person) return refusalMessage(person.refusal, configuration.command);
  const { request } = parsed;
  if (request.command === "help") return help(world, request.topic, person);
  return act(world, typed, request, person);
}
