import type { Authority } from "../cluster/authorities.ts";
import type { ProbedNode } from "../health/probed-node.ts";
import type { Assistance } from "../machine/assistance.ts";
import type { OwnReboot, SeenMachine } from "../machine/seen-machine.ts";
import { EXPIRES, type Key } from "./ledger-table.ts";

/** Inputs of a machine's configuration that the cluster may change later, by name. */
export type InputName = "kubeletClients" | "mirrors" | "proxy";

/** A file that an input writes on machines. */
export interface InputFile {
  readonly path: string;
  /** Of the text before its holes were filled. */
  readonly sha256: string;
  /** Version of the secret that fills its holes; missing for a file without holes. */
  readonly version?: string;
}

/** An input as a machine gets it. */
export interface InputValue {
  /** Hex sha256 that identifies the content. */
  readonly sha256: string;
  /** Its files; missing for the kubelets' authority of the last release, which has one file. */
  readonly files?: readonly InputFile[];
  /** The authorities that a kubelet trusts for its clients. */
  readonly authorities?: readonly Authority[];
}

/** An input that was sent to a machine by some work, as `workOwner` names it, at a time (ISO 8601). */
export interface SentInput extends InputValue {
  readonly owner: string;
  readonly at: string;
  /** Missing once the machine has confirmed the input: the machine may have files of `before` and of `sent`. */
  readonly unconfirmed?: {
    readonly before: InputValue | null;
    /** Every file that was sent since the last confirmation; a path may appear with several contents. */
    readonly sent: readonly InputFile[];
  };
}

/** Inputs that were sent to a machine. */
export type MachineInputs = { readonly [Name in InputName]?: SentInput };

/** Removes what the record adds to an input. */
function valueIn({ owner: _owner, at: _at, unconfirmed: _unconfirmed, ...value }: SentInput): InputValue {
  return value;
}

/** Files of both lists, each path and content once. */
const joined = (one: readonly InputFile[], other: readonly InputFile[]): readonly InputFile[] => [
  ...new Map([...one, ...other].map((file) => [`${file.path} ${file.sha256}`, file])).values(),
];

/**
 * Record of an input that is about to be sent. Until the machine confirms it, the record names every file that the
 * machine may have, so that a later change can remove it.
 * @param had the record so far
 */
export function sendingInput(
  had: SentInput | undefined,
  value: InputValue,
  { owner, at }: Pick<SentInput, "owner" | "at">,
): SentInput {
  const open = had?.unconfirmed;
  const before = open ? open.before : had ? valueIn(had) : null;
  return { ...value, owner, at, unconfirmed: { before, sent: joined(open?.sent ?? [], value.files ?? []) } };
}

/** Parts of a machine's record. Each is a separate attribute, so that writing one part does not change the others. */
export interface MachineParts {
  readonly seen: SeenMachine;
  readonly ownReboot: OwnReboot;
  readonly probed: ProbedNode;
  readonly given: MachineInputs;
  readonly assistance: Assistance;
}

/**
 * Time from which a record or a part is treated as absent, in seconds since the epoch; without it, it never expires.
 */
export interface Expiry {
  readonly [EXPIRES]?: number;
}

/** A part as its attribute stores it. An expired part hides the item of the last release. */
export interface StoredPart<T> extends Expiry {
  readonly value: T;
  /** Rises with each write of the part. */
  readonly version: number;
}

/** The record of one machine. A newer release may have added other parts. */
export type MachineRecord = { readonly [Name in keyof MachineParts]?: StoredPart<MachineParts[Name]> };

/** Partitions of the last release, which stored each part as a separate item under the instance id. */
export const lastRelease: Readonly<Record<keyof MachineParts, string>> = {
  seen: "seen",
  ownReboot: "own-reboots",
  probed: "probed",
  given: "machines",
  assistance: "assisted",
};

/** An item of the last release. */
export type OldItem = Key & Expiry & { readonly version?: number };

/** Converts an item of the last release into the part of the record. */
export function partOfOld<Name extends keyof MachineParts>(name: Name, item: OldItem): StoredPart<MachineParts[Name]> {
  const { pk: _pk, sk: _sk, version: _version, [EXPIRES]: expires, ...fields } = item;
  const value = name === "given" ? givenOfOld(fields as OldGiven) : fields;
  return { value: value as MachineParts[Name], version: 0, ...(expires === undefined ? {} : { [EXPIRES]: expires }) };
}

/** Fields of the last release's item with a machine's inputs. */
interface OldGiven {
  readonly owner: string;
  readonly at: string;
  readonly kubeletClients: InputValue;
}

const givenOfOld = ({ owner, at, kubeletClients }: OldGiven): MachineInputs => ({
  kubeletClients: { ...kubeletClients, owner, at },
});
