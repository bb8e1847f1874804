import { CfnSecurityGroup, CfnSecurityGroupIngress } from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import type { Peer, Port } from "../../lambdas/machine/ports.ts";
import { egressRules } from "../egress.ts";

/** Network of the Windows nodes and of their peers. */
export interface NodeNetworkProps {
  readonly cluster: string;
  readonly vpc: string;
  readonly ports: readonly Port[];
  readonly controlPlane: string;
  readonly linuxNodes: string;
  /** Networks and prefix lists that nodes may call; undefined for any. */
  readonly egress: readonly string[] | undefined;
}

/**
 * The Windows nodes' security group: it admits exactly the ports of the profile, each from the peers that need it, and
 * no people. The overlay works in both directions, so the peers' groups admit its port from the Windows nodes.
 */
export class NodeNetwork extends Construct {
  readonly groupId: string;

  constructor(scope: Construct, id: string, props: NodeNetworkProps) {
    super(scope, id);
    const group = new CfnSecurityGroup(this, "Nodes", {
      groupDescription: `Windows nodes of ${props.cluster}`,
      vpcId: props.vpc,
      securityGroupEgress: egressRules(props.egress, "Images, AWS and the cluster"),
    });
    this.groupId = group.attrGroupId;
    const groups: Record<Peer, string> = {
      "control-plane": props.controlPlane,
      "linux-nodes": props.linuxNodes,
      "windows-nodes": this.groupId,
    };
    for (const { name, protocol, port, from } of props.ports) {
      const rule = { ipProtocol: protocol.toLowerCase(), fromPort: port, toPort: port, description: name };
      const peers = distinctBy(from, (peer) => groups[peer]);
      for (const peer of peers) this.#admit(`${name} from ${peer}`, this.groupId, groups[peer], rule);
      if (!from.includes("windows-nodes")) continue;
      for (const peer of peers.filter((each) => each !== "windows-nodes"))
        this.#admit(`${name} to ${peer}`, groups[peer], this.groupId, rule);
    }
  }

  #admit(id: string, groupId: string, sourceSecurityGroupId: string, rule: { ipProtocol: string }): void {
    new CfnSecurityGroupIngress(this, id, { groupId, sourceSecurityGroupId, ...rule });
  }
}

/** Keeps one of several peers with the same group: EC2 refuses a duplicate rule (InvalidPermission.Duplicate). */
const distinctBy = (peers: readonly Peer[], group: (peer: Peer) => string): Peer[] =>
  [...new Map(peers.toReversed().map((peer) => [group(peer), peer])).values()].toReversed();
