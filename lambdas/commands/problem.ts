import type { Argument, Command, Option } from "../capabilities/command.ts";

interface OfCommand {
  readonly command: Command;
}

interface OfOption extends OfCommand {
  readonly option: Option;
}

/** Reason why a text is not a command. The typed words are not escaped yet. */
export type Problem =
  | (OfCommand & { readonly kind: "too-long"; readonly length: number })
  | { readonly kind: "unknown-command"; readonly typed: string; readonly nearest: readonly string[] }
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
      readonly kind:
        | "bad-count"
        | "bad-node"
        | "bad-operation"
        | "bad-audited"
        | "bad-registry"
        | "pool-among-nodes"
        | "pool-for-node";
      readonly typed: string;
    });

/** A value, or the problem of the text. */
export type ReadResult<T = unknown> = { readonly value: T } | { readonly problem: Problem };

/** Names to which the words of a command may refer. */
export interface Vocabulary {
  readonly pools: readonly string[];
  /** "/win"; a second one is ignored, because people type it twice by mistake. */
  readonly commandWord: string;
}
