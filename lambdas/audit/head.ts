/** The last entry of a chain of the audit, by its position and its hash. */
export interface Head {
  /** Counted from 1. */
  readonly sequence: number;
  /** SHA-256, in hexadecimal. */
  readonly hash: string;
}

/** The form in which people and logs name a head: 12 of the hash's 64 digits. */
export const shortHash = ({ hash }: Pick<Head, "hash">): string => hash.slice(0, 12);
