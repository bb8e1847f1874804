import type { Command } from "../../capabilities/command.ts";
import { formOf } from "../../commands/form.ts";
import { commandOf, scheduledOperations } from "../../commands/list.ts";
import type { Request } from "../../commands/request.ts";
import { code } from "../slack/text.ts";

/** Usage of a command, as code for a message. */
export const shownForm = (command: Command): string => typeThis(formOf(command));

/** Command to type, as code, with `{win}` for its first word. */
export const typeThis = (...words: readonly (string | number)[]): string =>
  code(words.join(" ")).replace("`", "`{win} ");

/** Title of a request in a few words, not escaped: "Add 2 nodes to web". */
export function titleOf(request: Request): string {
  const { title } = scheduledOperations.find(({ name }) => name === request.command) ?? commandOf(request.command);
  return title(request as never);
}
