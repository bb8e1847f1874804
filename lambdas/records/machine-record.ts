import { type Authority, type Bundle, sha256 } from "../cluster/authorities.ts";
import type { ProbedNode } from "../health/probed-node.ts";
import type { Assistance } from "../machine/assistance.ts";
import type { OwnReboot, SeenMachine } from "../machine/seen-machine.ts";
import { EXPIRES, type Key } from "./ledger-table.ts";

/** The authorities that a kubelet trusts as those of its clients; `sha256` is the file's. */
export interface KubeletClients {
  readonly sha256: string;
  readonly authorities: readonly Authority[];
}

/** Parts of a machine's configuration that the cluster may change later, by the name of the input. */
export interface InputValues {
  readonly kubeletClients: KubeletClients;
}

/** Inputs that a machine was given, each with the work that gave it, as `ownerOf` names it, and the time in ISO 8601. */
export type MachineInputs = {
  readonly [Name in keyof InputValues]?: InputValues[Name] & { readonly owner: string; readonly at: string };
};

/** Makes the input from the bundle that the cluster publishes. */
export const kubeletClientsIn = ({ pem, authorities }: Bundle): KubeletClients => ({
  sha256: sha256(pem),
  authorities,
});

/** Parts of a machine's record. Each is an attribute of its own: who writes one part leaves the others as they are. */
export interface MachineParts {
  readonly seen: SeenMachine;
  readonly ownReboot: OwnReboot;
  readonly probed: ProbedNode;
  readonly given: MachineInputs;
  readonly assistance: Assistance;
}

/** Time from which a record or a part is absent, in seconds since the epoch; what has none stays. */
export interface Expiry {
  readonly [EXPIRES]?: number;
}

/** A part as its attribute holds it; an expired one hides what the last release wrote. */
export interface StoredPart<T> extends Expiry {
  readonly value: T;
  /** Rises with every write of the part. */
  readonly version: number;
}

/** The record of one machine. A newer release may have written more parts. */
export type MachineRecord = { readonly [Name in keyof MachineParts]?: StoredPart<MachineParts[Name]> };

/** Partitions of the last release, which kept each part in an item of its own under the instance id. */
export const lastRelease: Readonly<Record<keyof MachineParts, string>> = {
  seen: "seen",
  ownReboot: "own-reboots",
  probed: "probed",
  given: "machines",
  assistance: "assisted",
};

/** An item of the last release. */
export type OldItem = Key & Expiry & { readonly version?: number };

/** Reads an item of the last release as the part that it is now. */
export function partOfOld<Name extends keyof MachineParts>(name: Name, item: OldItem): StoredPart<MachineParts[Name]> {
  const { pk: _pk, sk: _sk, version: _version, [EXPIRES]: expires, ...fields } = item;
  const value = name === "given" ? givenOfOld(fields as OldGiven) : fields;
  return { value: value as MachineParts[Name], version: 0, ...(expires === undefined ? {} : { [EXPIRES]: expires }) };
}

/** Fields of the last release's item of what a machine was given. */
interface OldGiven {
  readonly owner: string;
  readonly at: string;
  readonly kubeletClients: KubeletClients;
}

const givenOfOld = ({ owner, at, kubeletClients }: OldGiven): MachineInputs => ({
  kubeletClients: { ...kubeletClients, owner, at },
});
