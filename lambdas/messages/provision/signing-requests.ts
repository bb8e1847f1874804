/** Approver or denier of a certificate signing request, as far as the request names them. */
export interface Decider {
  /** Name of the program that wrote the decision (its user agent up to the slash); null if it is not recorded. */
  readonly program: string | null;
  /** The decision's reason and message, as that program wrote them. */
  readonly reason: string;
  readonly message: string;
}

/** Reasons that well-known approvers write: kubectl, cluster-machine-approver, WMCO, kube-controller-manager. */
const byReason: Readonly<Record<string, string>> = {
  KubectlApprove: "a kubectl user",
  KubectlDeny: "a kubectl user",
  NodeCSRApprove: "the cluster's machine approver",
  WMCOApprove: "the Windows Machine Config Operator",
  AutoApproved: "the cluster's controller manager",
};

/** Most characters of a decision's message within a sentence, because any program may write it. */
const MOST_WORDS = 200;

const quoted = (text: string): string => (text === "" ? "" : ` ("${text.slice(0, MOST_WORDS)}")`);

function decidedBy({ program, reason, message }: Decider): string {
  const decider =
    byReason[reason] ?? (program === null ? "an unknown approver" : `the program ${program.slice(0, 60)}`);
  return `${decider}${quoted(message || reason)}`;
}

/** Lines of the thread on signing requests that Casement did not approve, or that others approved first. */
export const signingRequest = {
  leftPending: (name: string, why: string): string => `${name} was left pending: ${why}`,
  approvedByOthers: (name: string, by: Decider): string =>
    `${name} was approved by ${decidedBy(by)}, not by Casement; it is this machine's request and valid, so the join continues`,
  /** @param node the name that the request asks for */
  approvedWrongly: (name: string, why: string, by: Decider, node: string): string =>
    `WRONGLY APPROVED: ${name} is not this machine's (${why}) and was approved by ${decidedBy(by)}. The holder of that certificate can act as ${node} until it expires. Next: find the requester (kubectl get csr ${name} -o yaml), and remove this node`,
  denied: (name: string, by: Decider): string => `${name} was denied by ${decidedBy(by)}`,
  /** @param node the name that the requests ask for */
  askedAgain: (node: string): string =>
    `the kubelet will request it again. Next: allow requests for system:node:${node} there, or cancel the operation`,
  /** The Node has registered, but its request no longer exists. */
  registeredAnyhow: (node: string): string =>
    `the Node ${node} has registered, but its request no longer exists: it was approved outside Casement, and then deleted`,
  takenOver: (name: string, node: string): string =>
    `the Node ${node} exists, but no request of this machine was approved; ${name} was, and it is not this machine's`,
} as const;
