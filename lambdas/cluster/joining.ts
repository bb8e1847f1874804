import type { Configuration } from "../configuration/configuration.ts";
import { type ServiceAccount, userNameOf } from "./accounts.ts";

/** Joining with a short-lived token of a service account: Casement makes it, and approves what is asked for with it. */
export interface TokenJoin {
  readonly by: "service-account-token";
  /** Account whose tokens are the join material. */
  readonly account: ServiceAccount;
  /** Namespace of the cluster's own approver of its machines' requests. */
  readonly approver: string;
  /** Content of the file that the kubelet asks for its first certificate with. */
  kubeconfig(configuration: Configuration, token: string): string;
}

/**
 * Joining with the role of the machine's instance profile, as EKS lets nodes in by an access entry (EKS user guide, "Grant
 * IAM users and roles access"): there is no token and no secret, and no request waits for Casement.
 */
interface RoleJoin {
  readonly by: "instance-role";
}

/** The way in which a kind of cluster lets machines join. */
export type Join = TokenJoin | RoleJoin;

/** The way to join, where Casement makes the credential; null where the machine has it by its role. */
export const tokenJoinOf = (join: Join): TokenJoin | null => (join.by === "service-account-token" ? join : null);

/** The user name with which a machine asks for its first certificate. */
export const bootstrapperOf = (join: Join, nodeName: string): string =>
  join.by === "service-account-token" ? userNameOf(join.account) : `system:node:${nodeName}`;
