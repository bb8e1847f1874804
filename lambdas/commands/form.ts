import type { Argument, Command, Option } from "../capabilities/command.ts";

const several: ReadonlySet<string> = new Set<Argument["kind"]>(["nodes", "nodes-or-pool"]);

const argumentForm = ({ name, kind, required }: Argument): string =>
  `${required ? `<${name}>` : `[${name}]`}${several.has(kind) ? "..." : ""}`;

const values: Readonly<Record<Option["kind"], string>> = { flag: "", count: " <number>", text: ' "<text>"' };

/** Form in which an option is typed: `--max <number>`. */
export const optionForm = ({ option, kind }: Option): string => `--${option}${values[kind]}`;

/** Form in which a command is typed: "add <pool> [count] [--dry-run]"; the arrows are still to be escaped. */
export const formOf = (command: Command): string =>
  [
    command.name,
    ...command.arguments.map(argumentForm),
    ...command.options.map((option) => `[${optionForm(option)}]`),
  ].join(" ");
