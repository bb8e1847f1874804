/** Kinds of failures, by the rank that containerd 2 gives them. */
export const ranks = { network: 1, absent: 2, status: 3 } as const;

/** A failure of one request, or of the whole pull, in containerd's words. */
export class PullFailure extends Error {
  override readonly name = "PullFailure";
  readonly rank: number;

  constructor(message: string, rank: number = ranks.network) {
    super(message);
    this.rank = rank;
  }
}

/** A failure that ends the pull, whatever other hosts there are. */
export class FinalFailure extends PullFailure {}
