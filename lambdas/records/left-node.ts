/** Fields of a node's record about a node that its operation left cordoned. */
export interface LeftNode {
  /** Later decision of a person, in words; the message then offers no decision any more. */
  readonly settled?: string;
  /** Id of the later operation that works on the node; the message offers no decision meanwhile. */
  readonly takenOverBy?: string;
}

/** Is the node no longer left to a person: one has decided, or a later operation works on it? */
export const isSettled = ({ settled, takenOverBy }: LeftNode): boolean => (settled ?? takenOverBy) !== undefined;
