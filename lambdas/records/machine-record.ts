import { type Authority, type Bundle, sha256 } from "../cluster/authorities.ts";
import type { ProbedNode } from "../health/probed-node.ts";
import type { Assistance } from "../machine/assistance.ts";
import type { OwnReboot, SeenMachine } from "../machine/seen-machine.ts";
import { EXPIRES, type Key } from "./ledger-table.ts";

/** The authorities that a kubelet trusts for its clients; `sha256` is that of their file. */
export interface KubeletClients {
  readonly sha256: string;
  readonly authorities: readonly Authority[];
}

/** Inputs of a machine's configuration that the cluster may change later, by name. */
export interface InputValues {
  readonly kubeletClients: KubeletClients;
}

/**
 * Inputs that a machine has, each with the work that installed it, as `workOwner` names it, and the time (ISO 8601).
 */
export type MachineInputs = {
  readonly [Name in keyof InputValues]?: InputValues[Name] & { readonly owner: string; readonly at: string };
};

/** Turns the bundle that the cluster publishes into the input. */
export const kubeletClientsIn = ({ pem, authorities }: Bundle): KubeletClients => ({
  sha256: sha256(pem),
  authorities,
});

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
  readonly kubeletClients: KubeletClients;
}

const givenOfOld = ({ owner, at, kubeletClients }: OldGiven): MachineInputs => ({
  kubeletClients: { ...kubeletClients, owner, at },
});
