import type { Argument, Command, Option } from "../capabilities/command.ts";

interface OfCommand {
  readonly command: Command;
}

interface OfOption extends OfCommand {
  readonly option: Option;
}

/** Reason why a text is no command; the typed words are raw and must be escaped before anybody reads them. */
export type Problem =
  | (OfCommand & { readonly kind: "too-long"; readonly length: number })
  | { readonly kind: "unknown-command"; readonly typed: string; readonly nearest: string | null }
  | (OfCommand & { readonly kind: "missing"; readonly argument: Argument })
  | (OfCommand & { readonly kind: "too-much"; readonly typed: string })
  | (OfCommand & {
      readonly kind: "unknown-option";
      readonly typed: string;
      readonly nearest: string | null;
      /** Commands that have this option. */
      readonly elsewhere: readonly string[];
    })
  | (OfOption & { readonly kind: "only-of-one" | "option-twice" | "missing-value" | "unclosed-quote" })
  | (OfOption & { readonly kind: "needless-value" | "bad-number" | "unquoted"; readonly typed: string })
  | (OfOption & { readonly kind: "long-text"; readonly length: number })
  | (OfCommand & {
      readonly kind: "unknown-pool";
      readonly typed: string;
      readonly pools: readonly string[];
      readonly nearest: string | null;
    })
  | (OfCommand & {
      readonly kind: "bad-count" | "bad-node" | "bad-operation" | "bad-audited" | "pool-among-nodes";
      readonly typed: string;
    });

/** A value, or what is wrong with the text. */
export type ReadResult<T = unknown> = { readonly value: T } | { readonly problem: Problem };

/** Names that the words of a command may refer to. */
export interface Vocabulary {
  readonly pools: readonly string[];
  /** "/win": typed twice by mistake it is not taken for a word of the command. */
  readonly commandWord: string;
}
