import { rootCertificates } from "node:tls";
import type { ProposalFacts } from "../../bin/discover/proposal.ts";

const said = <T>(value: T) => ({ value, source: "a source" });

/** Facts of a cluster, an account and a workspace where everything was found. */
export const wholeFacts = (): ProposalFacts => ({
  cluster: {
    name: said("prod-east"),
    id: said("prod-east-a1b2c"),
    region: said("us-east-1"),
    apiServer: said("https://api-int.prod-east.example.org:6443"),
    certificateAuthority: said(rootCertificates.find((pem) => !pem.includes("#")) ?? ""),
    serviceNetwork: said("172.31.0.0/16"),
    dnsAddress: said(null),
    clusterNetwork: said("10.64.0.0/14"),
    machineNetwork: said("10.1.0.0/16"),
    hybridOverlayPort: said(9898),
    inputs: said("openshift"),
    minor: said("1.34"),
    isPrivate: false,
    nodes: said([]),
  },
  version: said("1.34.9"),
  account: {
    account: said("012345678901"),
    vpc: said("vpc-0123456789abcdef0"),
    subnets: said(["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]),
    controlPlane: said("sg-0123456789abcdef0"),
    linuxNodes: said("sg-0123456789abcdef1"),
    volumeKey: said(null),
    functionsNetwork: null,
    vcpus: said({ quota: 64, running: 36 }),
    concurrency: said(1_000),
  },
  slack: {
    teamId: said("T0EXAMPLE"),
    appId: said("A0EXAMPLE"),
    botUserId: said("U0EXAMPLE"),
    botId: said("B0EXAMPLE"),
    channel: said("C0EXAMPLE"),
    people: {
      operator: said(["S0OPERATORS"]),
      approver: said(["U0ONE", "U0TWO"]),
      "on-call": { missing: "no such group" },
    },
  },
  command: "/win",
  notify: said(["team@example.org"]),
});
