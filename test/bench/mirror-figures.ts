/** Figures of a cluster of one size. */
export interface MirrorFigures {
  readonly nodes: number;
  /** Calls of a tick at which every node has what is wanted. */
  readonly quietCalls: number;
  /** Commands, time and durable operations of the change that follows an edited mirror set. */
  readonly sendCommands: number;
  readonly seconds: number;
  readonly operations: number;
}

/** Limit on the calls of a tick without a change. */
export const mostCalls = (nodes: number): number => 20 + nodes / 100;

/** Limit on the commands of a change. */
export const mostCommands = (nodes: number): number => 5 + nodes / 25;
