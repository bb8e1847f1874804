import { type Authority, sha256 } from "./authorities.ts";

/** Part of a machine's configuration that the cluster may change later, as the ledger remembers it. */
export interface Given {
  readonly instanceId: string;
  /** "operation:index" that gave it. */
  readonly owner: string;
  /** ISO 8601. */
  readonly at: string;
  /** The authorities that its kubelet trusts as those of its clients; `sha256` is the file's. */
  readonly kubeletClients: { readonly sha256: string; readonly authorities: readonly Authority[] };
}

/** The ledger's partition of all machines; each has an item under its instance id. */
export const MACHINES = "machines";

/** A bundle of authorities, and what is in it. */
export interface Bundle {
  readonly pem: string;
  readonly authorities: readonly Authority[];
}

/**
 * The ledger's item of one machine, with its key.
 * @param at ISO 8601
 */
export const givenItem = (instanceId: string, owner: string, at: string, { pem, authorities }: Bundle) => ({
  pk: MACHINES,
  sk: instanceId,
  instanceId,
  owner,
  at,
  kubeletClients: { sha256: sha256(pem), authorities },
});
