import { NO_NODE_CHANGED, Refused } from "../../errors.ts";
import { blocksIn, type RefusedBlock, type TrustedAuthority } from "./certificates.ts";

/** Certificates in PEM, and their place as people read it. */
export interface AuthorityBundle {
  /** "ConfigMap openshift-config/user-ca-bundle of Proxy cluster". */
  readonly from: string;
  readonly pem: string;
}

/** An authority with every place that names it. */
export interface NamedAuthority extends TrustedAuthority {
  readonly sources: readonly string[];
}

/** A refused block with every place that has it. */
export interface RefusedAuthority extends RefusedBlock {
  readonly sources: readonly string[];
}

/** Authorities that bundles name. */
export interface NamedAuthorities {
  readonly authorities: readonly NamedAuthority[];
  readonly refused: readonly RefusedAuthority[];
}

/** Limit that keeps a public bundle of all authorities away from machines. */
const MOST_AUTHORITIES = 50;

/** Merges equal items of several places. */
function merged<Item>(
  found: readonly (Item & { readonly from: string })[],
  keyOf: (item: Item) => string,
): readonly (Item & { readonly sources: readonly string[] })[] {
  return [...Map.groupBy(found, keyOf).values()].flatMap((same) => {
    const [first] = same;
    return first ? [{ ...first, sources: [...new Set(same.map(({ from }) => from))] }] : [];
  });
}

/**
 * Reads bundles: one authority for each certificate, however often it is named.
 * @param now milliseconds since the epoch
 * @throws Refused if there are more than 50
 */
export function namedAuthorities(bundles: readonly AuthorityBundle[], now: number): NamedAuthorities {
  const blocks = bundles.flatMap(({ from, pem }) => blocksIn(pem, now).map((block) => ({ ...block, from })));
  const taken = blocks.flatMap(({ authority, from }) => (authority ? [{ ...authority, from }] : []));
  const refused = blocks.flatMap(({ refused: block, from }) => (block ? [{ ...block, from }] : []));
  const authorities = merged(taken, ({ thumbprint }) => thumbprint);
  if (authorities.length > MOST_AUTHORITIES)
    throw new Refused(
      `the cluster names ${authorities.length} trusted authorities, and Windows nodes get at most ${MOST_AUTHORITIES}, ${NO_NODE_CHANGED}`,
    );
  return {
    authorities: authorities.map(({ from: _from, ...one }) => one),
    refused: merged(refused, ({ certificate, reason, from }) => certificate?.thumbprint ?? `${reason} ${from}`).map(
      ({ from: _from, ...one }) => one,
    ),
  };
}
