import { InstanceProfile, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Statement } from "../statement.ts";
import { permissionsPolicy } from "./permissions-policy.ts";

/** Identity of the Windows nodes: the instance profile, and a role with Casement's policy and no AWS managed policy. */
export class NodeIdentity extends Construct {
  readonly role: Role;
  readonly profile: InstanceProfile;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.role = new Role(this, "Role", { assumedBy: new ServicePrincipal("ec2.amazonaws.com") });
    this.profile = new InstanceProfile(this, "Profile", { role: this.role });
  }

  /** Gives the machines exactly these permissions. */
  permit(statements: readonly Statement[]): void {
    permissionsPolicy(this, this.role, statements);
  }
}
