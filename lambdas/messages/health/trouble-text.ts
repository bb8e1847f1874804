import type { Trouble } from "../../health/trouble.ts";
import { typeThis } from "../command/syntax.ts";
import { code, plain } from "../slack/text.ts";

/** Node whose trouble a message describes. */
export interface TroubleContext {
  readonly node: string;
  /** ISO 8601. */
  readonly now: string;
  /** Casement is not known to act for the machine: it has no route guard of Casement's, and no command may be sent to it. */
  readonly isObserved?: boolean;
}

/** A trouble in words: a sentence, and what helps. */
export interface TroubleText {
  readonly says: string;
  readonly next: string;
  /** A command that helps, as a button. */
  readonly press?: { readonly text: string; readonly command: string };
}

/** Tells one kind of trouble. */
export type Tell<K extends Trouble["kind"]> = (
  trouble: Extract<Trouble, { kind: K }>,
  told: TroubleContext,
) => TroubleText;

/** Command that adds the route by hand; the mask 255.255.255.0 of the published command is rejected by Windows. */
export const ADD_ROUTE = "route add 169.254.169.254 mask 255.255.255.255 <gateway>";

/** Commands that set the clock, at the console of the machine. */
export const setClock = `At the console of the machine: ${code("w32tm /query /status")} names its time source, ${code("w32tm /resync /force")} sets the clock.`;

/** Words of another program, without code spans and the period that ends them, because the rest of a sentence follows. */
export const foreign = (text: string, limit: number): string =>
  plain(text, limit)
    .replaceAll("`", "'")
    .replace(/[.\s]+$/, "");

/** Command that examines the whole deployment. */
export const doctor = (): string => typeThis("doctor");

/** Command that removes the node. */
export const removeCommand = ({ node }: TroubleContext): string => typeThis("remove", node);

/** Button that requests a reboot of the node. */
export const rebootPress = ({ node }: TroubleContext) => ({ text: "Reboot", command: `reboot ${node}` });

/** Sentence that names the command that checks the node again. */
export const again = ({ node }: TroubleContext): string => `${typeThis("why", node)} checks again.`;
