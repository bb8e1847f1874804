import type { Authority } from "../cluster/authorities.ts";
import type { ProbedNode } from "../health/probed-node.ts";
import type { Assistance } from "../machine/assistance.ts";
import type { OwnReboot, SeenMachine } from "../machine/seen-machine.ts";
import { EXPIRES, type Key } from "./ledger-table.ts";

/** Inputs of a machine's configuration that the cluster may change later, by name. */
export type InputName = "kubeletClients" | "mirrors" | "trustedAuthorities" | "proxy";

/** A file that an input writes on machines. */
export interface InputFile {
  readonly path: string;
  /** Of the text before its holes were filled. */
  readonly sha256: string;
  /** Version of the secret that fills its holes; missing for a file without holes. */
  readonly version?: string;
}

/** A list of files that the ledger holds once, for all machines that have the same files. */
export interface FileList {
  /** Hex sha256 of the list. */
  readonly list: string;
}

/** Files as the record of a machine names them: a short list by itself, a long one by its hash. */
export type StoredFile = InputFile | FileList;

/** An input as a machine gets it. */
export interface InputValue<File = InputFile> {
  /** Hex sha256 that identifies the content. */
  readonly sha256: string;
  /** Its files; missing for the kubelets' authority of the last release, which has one file. */
  readonly files?: readonly File[];
  /** The authorities that a kubelet trusts for its clients. */
  readonly authorities?: readonly Authority[];
}

/** An input that was sent to a machine by some work, as `workOwner` names it, at a time (ISO 8601). */
export interface SentInput<File = InputFile> extends InputValue<File> {
  readonly owner: string;
  readonly at: string;
  /** Missing once the machine has confirmed the input: the machine may have files of `before` and of `sent`. */
  readonly unconfirmed?: {
    readonly before: InputValue<File> | null;
    /** Every file that was sent since the last confirmation; a path may appear with several contents. */
    readonly sent: readonly File[];
  };
}

/** Inputs that were sent to a machine. */
export type MachineInputs<File = InputFile> = { readonly [Name in InputName]?: SentInput<File> };

/** Removes what the record adds to an input. */
function valueIn<File>({ owner: _owner, at: _at, unconfirmed: _open, ...value }: SentInput<File>): InputValue<File> {
  return value;
}

const isList = (file: StoredFile): file is FileList => "list" in file;

const keyOf = (file: StoredFile): string => (isList(file) ? file.list : `${file.path} ${file.sha256}`);

/** Files of both lists, each path and content once. */
const joined = <File extends StoredFile>(one: readonly File[], other: readonly File[]): readonly File[] => [
  ...new Map([...one, ...other].map((file) => [keyOf(file), file])).values(),
];

/**
 * Record of an input that is about to be sent. Until the machine confirms it, the record names every file that the
 * machine may have, so that a later change can remove it.
 * @param had the record so far
 */
export function sendingInput<File extends StoredFile>(
  had: SentInput<File> | undefined,
  value: InputValue<File>,
  { owner, at }: Pick<SentInput, "owner" | "at">,
): SentInput<File> {
  const open = had?.unconfirmed;
  const before = open ? open.before : had ? valueIn(had) : null;
  return { ...value, owner, at, unconfirmed: { before, sent: joined(open?.sent ?? [], value.files ?? []) } };
}

/** Hashes of the lists of files that a record names. */
export const listsOf = (inputs: MachineInputs<StoredFile>): readonly string[] =>
  Object.values(inputs).flatMap(({ files = [], unconfirmed }) =>
    [...files, ...(unconfirmed?.before?.files ?? []), ...(unconfirmed?.sent ?? [])]
      .filter(isList)
      .map(({ list }) => list),
  );

/** The lists of files that the ledger holds, by their hashes. */
export type FileLists = ReadonlyMap<string, readonly InputFile[]>;

const filesOf = (stored: readonly StoredFile[], lists: FileLists): readonly InputFile[] => {
  const [only] = stored;
  // Machines with the same list share it: 1,000 copies of 200 files would fill a function's memory.
  if (only && stored.length === 1 && isList(only)) return lists.get(only.list) ?? [];
  return stored.flatMap((file) => (isList(file) ? (lists.get(file.list) ?? []) : [file]));
};

const valueWith = ({ files, ...value }: InputValue<StoredFile>, lists: FileLists): InputValue =>
  files ? { ...value, files: filesOf(files, lists) } : value;

/**
 * Reads a stored input. If the ledger has lost one of its lists, the machine is treated as one that did not confirm what
 * was sent: it gets the content again, which records its files, and nothing that others may have written is removed.
 */
function inputWith(stored: SentInput<StoredFile>, lists: FileLists): SentInput {
  const { owner, at, unconfirmed: open, ...had } = stored;
  const value = { ...valueWith(had, lists), owner, at };
  if (!listsOf({ mirrors: stored }).every((list) => lists.has(list)))
    return { ...value, unconfirmed: { before: null, sent: filesOf(open?.sent ?? [], lists) } };
  if (!open) return value;
  return {
    ...value,
    unconfirmed: { before: open.before && valueWith(open.before, lists), sent: filesOf(open.sent, lists) },
  };
}

/** Reads the inputs of a machine. @param lists the lists that its record names; a lost one is missing */
export const inputsWith = (stored: MachineInputs<StoredFile>, lists: FileLists): MachineInputs =>
  Object.fromEntries(Object.entries(stored).map(([name, input]) => [name, inputWith(input, lists)]));

/** Attributes of a machine's record: writing one does not change the others. */
export interface MachineParts {
  readonly seen: SeenMachine;
  readonly ownReboot: OwnReboot;
  readonly probed: ProbedNode;
  readonly given: MachineInputs<StoredFile>;
  readonly assistance: Assistance;
}

/**
 * Time from which a record or an attribute is treated as absent, in seconds since the epoch; without it, it never expires.
 */
export interface Expiry {
  readonly [EXPIRES]?: number;
}

/** An attribute as it is stored. An expired one hides the item of the last release. */
export interface StoredAttribute<T> extends Expiry {
  readonly value: T;
  /** Rises with each write of the attribute. */
  readonly version: number;
}

/** The record of one machine. A newer release may have added other attributes. */
export type MachineRecord = { readonly [Name in keyof MachineParts]?: StoredAttribute<MachineParts[Name]> };

/** Partitions of the last release, which stored each attribute as a separate item under the instance id. */
export const lastRelease: Readonly<Record<keyof MachineParts, string>> = {
  seen: "seen",
  ownReboot: "own-reboots",
  probed: "probed",
  given: "machines",
  assistance: "assisted",
};

/** An item of the last release. */
export type OldItem = Key & Expiry & { readonly version?: number };

/** Converts an item of the last release into the attribute of the record. */
export function attributeOfOld<Name extends keyof MachineParts>(
  name: Name,
  item: OldItem,
): StoredAttribute<MachineParts[Name]> {
  const { pk: _pk, sk: _sk, version: _version, [EXPIRES]: expires, ...fields } = item;
  const value = name === "given" ? givenOfOld(fields as OldGiven) : fields;
  return {
    value: value as MachineParts[Name],
    version: 0,
    ...(expires === undefined ? {} : { [EXPIRES]: expires }),
  };
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
