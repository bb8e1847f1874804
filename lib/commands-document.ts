import type { Command } from "../lambdas/capabilities/command.ts";
import { formOf, optionForm } from "../lambdas/commands/form.ts";

const argumentRows = (command: Command): string[] =>
  command.arguments.map(({ name, means, required }) => `- \`${name}\`${required ? "" : " (optional)"}: ${means}`);

const optionRows = (command: Command): string[] =>
  command.options.map((option) => `- \`${optionForm(option)}\` (optional): ${option.means}`);

function chapter(command: Command, commandWord: string): string {
  const details = [...argumentRows(command), ...optionRows(command)];
  const also = command.also.map((phrase) => `\`${phrase}\``).join(", ");
  const examples = command.examples.map((example) => `${commandWord} ${example}`);
  return [
    `## ${command.name}`,
    `\`${commandWord} ${formOf(command)}\``,
    command.detail,
    ...(details.length > 0 ? [details.join("\n")] : []),
    ...(also ? [`Also understood: ${also}`] : []),
    ["```text", ...examples, "```"].join("\n"),
  ].join("\n\n");
}

const overviewRow = (command: Command, commandWord: string): string =>
  `| [\`${commandWord} ${formOf(command).replaceAll("|", "\\|")}\`](#${command.name}) | ${command.summary} |`;

/**
 * Writes the page that explains every command, from the list of commands.
 * @param commandWord the word of the slash command, "/win"
 * @returns Markdown, for docs/commands.md
 */
export function commandsDocument(commands: readonly Command[], commandWord: string): string {
  const overview = [
    "| command | what it does |",
    "|---|---|",
    ...commands.map((command) => overviewRow(command, commandWord)),
  ];
  return `${[
    "# Commands",
    "This page is made from `lambdas/capabilities/`; a test keeps it so.",
    "A node is named by its name, instance id, IP address or unique prefix. Words may be in any case; a text in quotes keeps its own. Options may stand anywhere behind the command, as `--option value` or `--option=value`. Who may use which command is set in the configuration under `people` and `policy`.",
    overview.join("\n"),
    ...commands.map((command) => chapter(command, commandWord)),
  ].join("\n\n")}\n`;
}
