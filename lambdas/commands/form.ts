import type { Argument, Command, Option } from "../capabilities/command.ts";

const several: ReadonlySet<string> = new Set<Argument["kind"]>(["nodes", "nodes-or-pool"]);

const argumentForm = ({ name, kind, required }: Argument): string =>
  `${required ? `<${name}>` : `[${name}]`}${several.has(kind) ? "..." : ""}`;

function valueForm(option: Option): string {
  if (option.kind === "flag") return "";
  return option.kind === "count" ? " <number>" : ` ${option.value}`;
}

/** Formats an option as people type it: `--max <number>`. */
export const optionForm = (option: Option): string => `--${option.option}${valueForm(option)}`;

/** Formats a command as people type it: "add <pool> [count] [--dry-run]". The caller escapes the angle brackets. */
export const formOf = (command: Command): string =>
  [
    command.name,
    ...command.arguments.map(argumentForm),
    ...command.options.map((option) => `[${optionForm(option)}]`),
  ].join(" ");
