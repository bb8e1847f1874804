import type { Command } from "../../capabilities/command.ts";
import { optionForm } from "../../commands/form.ts";
import type { Message } from "../../records/records.ts";
import { header, section, sections } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, plain } from "../slack/text.ts";
import { groupsUnknown, unreadableRules } from "./refusals.ts";
import { shownForm, typeThis } from "./syntax.ts";

const line = (command: Command, usable: readonly string[]): string =>
  `${shownForm(command)} ${command.summary}${usable.includes(command.name) ? "" : " _(no permission)_"}`;

/** Rights of the person who reads the help. */
export interface HelpReader {
  /** Names of the commands that the reader may use. */
  readonly usable: readonly string[];
  /** Pools whose rules cannot be read. */
  readonly unreadablePools: readonly string[];
  /** True if nobody knows which user groups the reader is in. */
  readonly unknownGroups: boolean;
}

/**
 * Lists all commands, and marks those that the reader is not allowed to use.
 * @param cluster the cluster's name
 */
export function helpMessage(
  commands: readonly Command[],
  { usable, unreadablePools, unknownGroups }: HelpReader,
  cluster: string,
): Message {
  const changing = commands.some((command) => command.effect === "change" && usable.includes(command.name));
  const noChanges = unknownGroups
    ? groupsUnknown
    : "Your roles allow no changes. Roles are granted under `people` in Casement's configuration.";
  const rights = changing ? "" : `\n${noChanges}`;
  return {
    text: "How to use {win}",
    blocks: [
      header(`Windows nodes of ${cluster}`),
      ...(unreadablePools.length > 0
        ? [section(`${sign.warning} ${unreadableRules(unreadablePools)} ${typeThis("doctor")} shows the fault.`)]
        : []),
      ...sections(commands.map((command) => line(command, usable))),
      section(
        `For details: ${typeThis("help", "add")}. kubectl's syntax works too: ${typeThis("get nodes")}.${rights}`,
      ),
    ],
  };
}

const argumentLines = (command: Command): string[] =>
  command.arguments.map(({ name, means, required }) => `• *${name}*${required ? "" : " (optional)"}: ${plain(means)}`);

const optionLines = (command: Command): string[] =>
  command.options.map((option) => `• *${plain(optionForm(option))}*: ${plain(option.means)}`);

const alsoSaid = (command: Command): string[] =>
  command.also.length > 0 ? [`Aliases: ${command.also.map(code).join(", ")}`] : [];

/** Explains one command: form, arguments, options and examples. */
export function commandHelp(command: Command, usable: readonly string[]): Message {
  const lines = [
    `*${shownForm(command)}*`,
    plain(command.detail, 2_000),
    ...argumentLines(command),
    ...optionLines(command),
    `Examples: ${command.examples.map((example) => typeThis(example)).join(", ")}`,
    ...alsoSaid(command),
    ...(usable.includes(command.name) ? [] : ["None of your roles allows this command."]),
  ];
  return { text: command.summary, blocks: sections(lines) };
}
