/** Wait for the result of a new node's probe. */
export const probeToEnd = "Casement's probe pods on the node";

/** Reason why a new node's data plane is not known: its probe recorded no result. */
export const probeLate = "the probe recorded no result in time";
