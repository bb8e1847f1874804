/** Where something is wrong: the groups of the doctor's report. */
export type Area = "Slack" | "AWS" | "Cluster" | "Nodes";

/** "broken": something will not work. "unclear": nobody could look. "warning": works now, will not for long. */
export type Level = "broken" | "unclear" | "warning";

/** One thing that the doctor found, as data. */
export type Finding =
  | { readonly kind: "down"; readonly area: Area; readonly why: string }
  | { readonly kind: "no-answer"; readonly area: Area; readonly what: string; readonly why: string }
  | { readonly kind: "denied"; readonly by: string; readonly action: string }
  | { readonly kind: "other-app"; readonly found: string; readonly configured: string }
  | { readonly kind: "scopes-missing"; readonly scopes: readonly string[] }
  | { readonly kind: "not-a-member" | "channel-shared" | "channel-unknown"; readonly channel: string }
  | { readonly kind: "subnet-full"; readonly subnet: string; readonly pools: readonly string[]; readonly free: number }
  | { readonly kind: "subnet-missing"; readonly subnet: string; readonly pools: readonly string[] }
  | { readonly kind: "security-group"; readonly group: string; readonly faults: readonly string[] }
  | { readonly kind: "image-missing"; readonly pool: string; readonly why: string }
  | { readonly kind: "launch-refused"; readonly pool: string; readonly why: string }
  | { readonly kind: "payload-missing"; readonly files: readonly string[] }
  | { readonly kind: "payload-version"; readonly payload: string; readonly configured: string }
  | { readonly kind: "document-missing"; readonly script: string; readonly name: string }
  | { readonly kind: "no-release"; readonly why: string }
  | { readonly kind: "clock"; readonly against: string; readonly seconds: number }
  | { readonly kind: "agents-old"; readonly machines: readonly string[]; readonly wanted: string }
  | { readonly kind: "agents-silent"; readonly machines: readonly string[] }
  | { readonly kind: "right-missing"; readonly does: string; readonly right: string }
  | { readonly kind: "policy-missing"; readonly policy: string; readonly what: string }
  | { readonly kind: "credential-expired"; readonly at: string }
  | { readonly kind: "credential-expires"; readonly at: string; readonly days: number }
  | { readonly kind: "credential-refused" }
  | { readonly kind: "credential-unusable" | "slack-credential"; readonly why: string }
  | { readonly kind: "server-version"; readonly server: string; readonly payload: string }
  | { readonly kind: "kubelet-version"; readonly node: string; readonly kubelet: string; readonly server: string }
  | { readonly kind: "no-hybrid-network"; readonly network: string }
  | { readonly kind: "network-differs"; readonly what: string; readonly cluster: string; readonly configured: string }
  | { readonly kind: "no-join-account" | "no-machine-approver" | "no-linux-node" };
