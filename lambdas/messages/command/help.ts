import type { Command } from "../../commands/command.ts";
import { formOf, optionForm } from "../../commands/form.ts";
import type { Message } from "../../records.ts";
import { header, section } from "../slack/blocks.ts";
import { code, plain } from "../slack/text.ts";
import { typeThis } from "./forms.ts";

const line = (command: Command, commandWord: string, usable: readonly string[]): string =>
  `${code(formOf(command, commandWord))} ${command.summary}${usable.includes(command.name) ? "" : " _(not yours to use)_"}`;

/**
 * All commands, and which of them the reader may use.
 * @param usable words of the commands that the reader may use
 * @param cluster the cluster's name
 */
export function helpMessage(
  commands: readonly Command[],
  usable: readonly string[],
  commandWord: string,
  cluster: string,
): Message {
  const changing = commands.some((command) => command.effect === "change" && usable.includes(command.name));
  const rights = changing ? "" : "\nYou may change nothing here: whoever keeps the configuration can give you a role.";
  return {
    text: `How to use ${commandWord}`,
    blocks: [
      header(`Windows nodes of ${cluster}`),
      section(commands.map((command) => line(command, commandWord, usable)).join("\n")),
      section(
        `${typeThis(commandWord, "help", "add")} explains one. kubectl's words are understood too: ${typeThis(commandWord, "get nodes")}.${rights}`,
      ),
    ],
  };
}

const argumentLines = (command: Command): string[] =>
  command.arguments.map(({ name, means, required }) => `• *${name}*${required ? "" : " (optional)"}: ${plain(means)}`);

const optionLines = (command: Command): string[] =>
  command.options.map((option) => `• *${plain(optionForm(option))}*: ${plain(option.means)}`);

const alsoSaid = (command: Command): string[] =>
  command.also.length > 0 ? [`Also understood: ${command.also.map(code).join(", ")}`] : [];

/** One command explained. */
export function commandHelp(command: Command, usable: readonly string[], commandWord: string): Message {
  const lines = [
    `*${code(formOf(command, commandWord))}*`,
    plain(command.detail, 1_000),
    ...argumentLines(command),
    ...optionLines(command),
    `Examples: ${command.examples.map((example) => typeThis(commandWord, example)).join(", ")}`,
    ...alsoSaid(command),
    ...(usable.includes(command.name) ? [] : ["You have no role that may use it."]),
  ];
  return { text: command.summary, blocks: [section(lines.join("\n"))] };
}
