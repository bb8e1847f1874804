import type { NamedAuthority, RefusedAuthority } from "../../inputs/trust/authorities.ts";
import { utc } from "../slack/age.ts";
import { code, counted, plain, some } from "../slack/text.ts";

/** Most places named in one sentence. */
const MOST_SOURCES = 3;

const placesOf = ({ sources }: Pick<NamedAuthority, "sources">): string => some(sources, MOST_SOURCES);

/** Sentence on a block of a bundle that no node gets. */
export const refusedText = ({ certificate, reason, isDamaged, ...from }: RefusedAuthority): string =>
  certificate === null
    ? `${placesOf(from)}: ${reason}.${isDamaged ? " Until it is mended, no authority is taken off a node." : ""}`
    : `${certificate.subject} is not given to nodes: ${reason}. It stands in ${placesOf(from)}.`;

/** Sentence on an authority that expires soon. @param days the number of days within which it expires */
export const expiringText = ({ subject, notAfter, ...from }: NamedAuthority, days: number): string =>
  `${subject} expires at ${utc(notAfter)}, within ${counted(days, "day")}: programs on Windows nodes then refuse what it has signed. Add its successor to ${placesOf(from)}.`;

/** Facts by which people decide whether every program of the nodes may trust a new root. */
export const questionText = ({ subject, issuer, fingerprint, notAfter, ...from }: NamedAuthority): string =>
  [
    `*${plain(subject)}*`,
    `issuer ${plain(issuer)} · valid until ${utc(notAfter)}`,
    `SHA-256 ${code(fingerprint)}`,
    `from ${plain(placesOf(from))}`,
  ].join("\n");
