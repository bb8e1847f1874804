import type { Command } from "../../../lambdas/capabilities/command.ts";

/** Words that the composer completes, as data for the browser. */
export interface Vocabulary {
  /** "/win" */
  readonly commandWord: string;
  readonly commands: readonly Command[];
  readonly pools: readonly string[];
}

/** A user whom the page can act as. */
export interface Seat {
  readonly id: string;
  readonly name: string;
  /** Empty for a user without rights. */
  readonly roles: readonly string[];
}

/** Facts that stay the same as long as the sandbox runs. */
export interface Setting {
  readonly cluster: string;
  /** The first one is shown at first. */
  readonly channels: readonly { readonly id: string; readonly name: string }[];
  readonly bot: { readonly userId: string; readonly name: string };
  readonly people: readonly Seat[];
  readonly vocabulary: Vocabulary;
}
