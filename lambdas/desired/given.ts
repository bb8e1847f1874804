import { keys } from "../ledger-table.ts";
import { type Authority, sha256 } from "./authorities.ts";

/** Part of a machine's configuration that the cluster may change later, as the ledger remembers it. */
export interface Given {
  readonly instanceId: string;
  /** The work that gave it, as `ownerOf` names it. */
  readonly owner: string;
  /** ISO 8601. */
  readonly at: string;
  /** The authorities that its kubelet trusts as those of its clients; `sha256` is the file's. */
  readonly kubeletClients: { readonly sha256: string; readonly authorities: readonly Authority[] };
}

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
  ...keys.given(instanceId),
  instanceId,
  owner,
  at,
  kubeletClients: { sha256: sha256(pem), authorities },
});
