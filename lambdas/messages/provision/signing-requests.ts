/** Decider of a certificate signing request, as far as the request says. */
export interface Decider {
  /** Name of the program that wrote the decision (its user agent up to the slash); null when it is not kept. */
  readonly program: string | null;
  /** The decision's own reason and message, in that program's words. */
  readonly reason: string;
  readonly message: string;
}

/** Reasons that well-known approvers write: kubectl, cluster-machine-approver, WMCO, kube-controller-manager. */
const byReason: Readonly<Record<string, string>> = {
  KubectlApprove: "somebody with kubectl",
  KubectlDeny: "somebody with kubectl",
  NodeCSRApprove: "the cluster's machine approver",
  WMCOApprove: "the Windows Machine Config Operator",
  AutoApproved: "the cluster's controller manager",
};

/** Characters of a decider's own words within a sentence: they are anybody's text. */
const MOST_WORDS = 200;

const quoted = (text: string): string => (text === "" ? "" : ` ("${text.slice(0, MOST_WORDS)}")`);

function decidedBy({ program, reason, message }: Decider): string {
  const somebody = byReason[reason] ?? (program === null ? "somebody" : `the program ${program.slice(0, 60)}`);
  return `${somebody}${quoted(message || reason)}`;
}

/** Lines of the thread on signing requests that Casement did not simply approve. */
export const signingRequest = {
  leftPending: (name: string, why: string): string => `${name} was left pending: ${why}`,
  approvedByOthers: (name: string, by: Decider): string =>
    `${name} was approved by ${decidedBy(by)}, not by Casement; it is this machine's and right, so the join goes on`,
  /** @param node the name that the request asks for */
  approvedWrongly: (name: string, why: string, by: Decider, node: string): string =>
    `WRONGLY APPROVED: ${name} is not this machine's (${why}) and was approved by ${decidedBy(by)}. Whoever asked for it can act as ${node} until the certificate ends. Next: find out who asked (kubectl get csr ${name} -o yaml), and remove this node`,
  denied: (name: string, by: Decider): string => `${name} was denied by ${decidedBy(by)}`,
  /** @param node the name that the requests ask for */
  askedAgain: (node: string): string =>
    `the kubelet asks again by itself. Next: let requests for system:node:${node} pass there, or cancel the operation`,
  /** The Node registered, but the request that it joined with is not there any more. */
  registeredAnyhow: (node: string): string =>
    `the Node ${node} has registered although no request of its is there any more: somebody else approved it, and the request was deleted`,
  takenOver: (name: string, node: string): string =>
    `the Node ${node} exists and no request of this machine was approved, but ${name} was, which is not this machine's`,
} as const;
