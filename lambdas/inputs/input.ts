import { type Authority, sha256 } from "../cluster/authorities.ts";
import type { Request } from "../commands/request.ts";
import type { Configuration } from "../configuration/configuration.ts";
import type { PullingPod } from "../health/proxy-denials.ts";
import { type SecretVersion, templateHash } from "../machine/actions.ts";
import type { PayloadFile } from "../machine/payload.ts";
import type { Action, FileAction } from "../machine/plan.ts";
import type { FleetWords } from "../messages/operation/fleet.ts";
import type { InputFile, InputName, InputValue, SentInput } from "../records/machine-record.ts";

/** An object of the cluster, or without a name all objects of a kind. */
export interface ObjectReference {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  /** May the named object be missing? Then nothing is found, and the input is not refused. */
  readonly mayBeAbsent?: boolean;
}

/** Objects of each reference, in the order of the references. */
export type FoundObjects = readonly (readonly unknown[])[];

/** A file with its content. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
  /** Secret from which the machine fills the text's holes. */
  readonly secret?: SecretVersion;
}

/** Facts of a secret without its value. */
export interface SecretFacts extends SecretVersion {
  readonly description: string;
}

/** A registry whose pulls a file decides. */
export interface ProvenRegistry {
  readonly host: string;
  readonly path: string;
  /** Every host that is asked gets a credential: one that wants another refutes the content. */
  readonly signsIn?: true;
}

/** Content that an input wants on every machine, as the bucket stores it. */
export interface InputContent {
  /** Hex sha256 that identifies the content. */
  readonly sha256: string;
  /** Files in the order in which machines get them. */
  readonly files: readonly TextFile[];
  /** Paths that stay as they are on a machine that has them. */
  readonly keptPaths?: readonly string[];
  /** Registries and wildcards whose files stay as they are on a machine that has them. */
  readonly held?: readonly string[];
  readonly authorities?: readonly Authority[];
  /** Registries whose pulls a file decides; the first node's proof pulls from those whose file changed. */
  readonly registries?: readonly ProvenRegistry[];
  /** Scripts that the machine's tasks run, with their places in the bucket. */
  readonly scripts?: readonly FileAction[];
  /** Remarks for people about objects that could not be applied as they are. */
  readonly remarks?: readonly string[];
  /**
   * Keys of parts that are not applied before a person has accepted their consequence. The last remarks ask for them, in
   * this order.
   */
  readonly asked?: readonly string[];
  /** Words about each of these parts, for the people who approve them. */
  readonly questions?: readonly string[];
  /** Keys of all parts that need an approval, whether they have one or not. */
  readonly approvable?: readonly string[];
  /** Reason why a machine without files must not join the cluster. */
  readonly refusesNew?: string;
}

/** Facts beside the objects that decide about an input's content. */
export interface InputFacts {
  readonly configuration: Configuration;
  /** The input as machines have it. */
  readonly given: readonly SentInput[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A person has asked for this change, so that a content which became empty is intended. */
  readonly isRequested: boolean;
  /** Images of the pods on Windows nodes; null while they were not read. */
  readonly images: readonly string[] | null;
  /** Files of the newest release for machines; null while they were not read. */
  readonly payload: readonly PayloadFile[] | null;
  /** Keys of parts whose consequence a person has accepted. */
  readonly accepted: readonly string[];
  /** The input's secret; missing while it has no value. */
  readonly secret?: SecretFacts;
}

/** Fact that is read only if it decides about a content. */
export type NeededFact = "images" | "payload";

/** Sentences about an input in messages and notices. */
export interface InputWords extends FleetWords {
  /** Name of the steps that read it: "read the authority". */
  readonly noun: string;
  /** Sentence that opens the notice about an input that cannot be read, without its cause. */
  readonly unread: string;
  /** Sentence on what machines keep meanwhile. */
  readonly meanwhile: string;
  /** Sentence about an input that can be read again. */
  readonly readAgain: string;
  /** Change as the audit names it. */
  readonly change: string;
  /** Sentence on nodes to which a content without files would be given. */
  readonly emptied: string;
  /** Sentence on the consequence that people approve. */
  readonly asks?: string;
  /** Clause on a node that was changed. */
  readonly written: string;
  /** Clause on the state of a node whose change failed. */
  readonly left: string;
}

/**
 * Something that the cluster's administrators decide for machines, as one pure value: the objects that it reads, the
 * content and actions that follow from them, its proof and its words. The workflow knows no input by name.
 */
export interface Input {
  readonly name: InputName;
  /** Schedule by which machines in service get it, and workflow of their nodes' records. */
  readonly rule: "authority" | "mirrors" | "trust" | "proxy";
  /** Request of the operations that the schedule starts. */
  readonly request: Request;
  /** Hex sha256 that identifies a content by its files, and by the registries that it holds. */
  identityOf(files: readonly TextFile[], held?: readonly string[]): string;
  /** Lists the objects that it reads; null if the configuration does not apply the input. */
  reads(configuration: Configuration): readonly ObjectReference[] | null;
  /** Lists the objects that those name; by default none. @param found objects of each reference of `reads` */
  follows?(found: FoundObjects, configuration: Configuration): readonly ObjectReference[];
  /** Name of a secret whose description and version decide about the content too; by default none. */
  secretOf?(configuration: Configuration): string;
  /**
   * Texts that the objects have and that only machines may read: the schedule keeps them in the secret of `secretOf`.
   * @param found objects of each reference of `reads`, then of `follows`
   */
  secretFields?(found: FoundObjects, configuration: Configuration): Readonly<Record<string, string>>;
  /**
   * Makes the content from the objects.
   * @param found objects of each reference of `reads`, then of `follows`
   * @returns the name of a fact that decides about it and was not read
   * @throws Refused if the objects are damaged or doubtful: then no machine is changed
   */
  content(found: FoundObjects, facts: InputFacts): InputContent | NeededFact;
  /** Actions that change a machine from the recorded input to the content, in a safe order. */
  actions(content: InputContent, sent: SentInput | undefined): readonly Action[];
  /** Lists what a machine has by the content, for people; by default the paths of its files. */
  shows?(content: InputContent): readonly string[];
  /** Does a machine that has a file keep it, although the content does not have it? */
  keeps(content: InputContent, path: string): boolean;
  /**
   * Finds the nodes that need a new content most, by the pods of the cluster: among equals they get it first; by default
   * none.
   */
  urgentNodes?(pods: readonly PullingPod[]): ReadonlySet<string>;
  /** Does a machine without a record have the content? */
  isWithout(content: InputContent): boolean;
  /** The file with the content's identity as its hash, which is compared every few hours; null to trust the records. */
  comparedFile(configuration: Configuration): string | null;
  /**
   * Proof that the first machine works: a pod's log is read on its node, or an image is pulled there, or the machine has
   * what was sent.
   */
  readonly proof: "log" | "pull" | "applied";
  /** Restores the first machine's state if its change stops in the middle or its proof fails. */
  readonly isUndone: boolean;
  /** Hours until the same content is tried again after the first machine failed in a part; null: not before it changes. */
  readonly retryHours: { readonly change: number; readonly proof: number | null };
  /**
   * Rule of the configuration's `approvals` by which people accept the consequences about which a content asks; by
   * default {win} reconcile accepts them.
   */
  readonly approval?: string;
  /** Keep freezes and holds it from nodes? */
  readonly waitsForStops: boolean;
  /** Annotation of the Node that shows the content's sha256. */
  readonly annotation?: string;
  readonly words: InputWords;
}

/**
 * Value of a content for the record of a machine: also names the files that the machine keeps.
 * @param sent the record so far
 */
export function valueFor(input: Input, content: InputContent, sent: SentInput | undefined): InputValue {
  return {
    sha256: content.sha256,
    files: [...hashedFiles(content), ...keptFiles(input, content, sent)],
    ...(content.authorities ? { authorities: content.authorities } : {}),
  };
}

/** A file as records have it: its hash does not depend on a secret, so the secret's version stands beside it. */
export const recordedFile = ({ path, text, secret }: TextFile): InputFile => ({
  path,
  sha256: templateHash(text),
  ...(secret ? { version: secret.version } : {}),
});

/** Cache: a change writes the same files into the record of each machine, and hashing them takes longest. */
const known = new WeakMap<InputContent["files"], readonly InputFile[]>();

function hashedFiles({ files }: InputContent): readonly InputFile[] {
  const hashed = known.get(files) ?? files.map(recordedFile);
  known.set(files, hashed);
  return hashed;
}

/** Files that a machine has, and that it keeps although the content does not have them. */
function keptFiles(input: Input, content: InputContent, sent: SentInput | undefined): readonly InputFile[] {
  const had = sent?.unconfirmed ? sent.unconfirmed.before?.files : sent?.files;
  return (had ?? []).filter(({ path }) => input.keeps(content, path));
}

/** Hash of a whole content: contents with the same files may differ in what machines keep. */
export const contentHash = (content: InputContent): string => sha256(JSON.stringify(content));

/** Text that differs for files that differ. */
export const keyOfFile = ({ path, sha256: hash, version = "" }: InputFile): string => `${path} ${hash} ${version}`;

const textOf = (files: readonly InputFile[]): string => JSON.stringify(files.map(keyOfFile).toSorted());

/**
 * Makes a test whether a machine must get a content, by its record; a machine to which the input was never sent has
 * none. Its files decide, because it may keep files that a content no longer has. A machine that did not confirm what
 * was sent gets it again. The content's files are hashed once for all machines.
 */
export function needsInput(input: Input, content: InputContent): (sent: SentInput | undefined) => boolean {
  const wanted = hashedFiles(content);
  return (sent) => {
    if (!sent) return !input.isWithout(content);
    // The last release recorded no files.
    if (sent.unconfirmed || !sent.files) return sent.unconfirmed !== undefined || sent.sha256 !== content.sha256;
    return textOf([...wanted, ...keptFiles(input, content, sent)]) !== textOf(sent.files);
  };
}
