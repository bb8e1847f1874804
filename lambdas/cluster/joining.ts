import type { Configuration } from "../configuration/configuration.ts";
import { type ServiceAccount, userNameOf } from "./accounts.ts";

/**
 * Joining with a short-lived token of a service account: Casement issues it, and approves the signing requests made
 * with it.
 */
export interface TokenJoin {
  readonly by: "service-account-token";
  /** Account whose tokens machines join with. */
  readonly account: ServiceAccount;
  /** Namespace of the cluster's own approver of machines' signing requests. */
  readonly approver: string;
  /** Makes the kubeconfig with which the kubelet requests its first certificate. */
  kubeconfig(configuration: Configuration, token: string): string;
}

/**
 * Joining with the role of the machine's instance profile, as EKS admits nodes by an access entry (EKS user guide,
 * "Grant IAM users and roles access"): there is no token and no secret, and no signing request waits for Casement.
 */
interface RoleJoin {
  readonly by: "instance-role";
}

/** The way in which a kind of cluster lets machines join. */
export type Join = TokenJoin | RoleJoin;

/** Joining by a token that Casement issues; null if machines join by their role. */
export const tokenJoinOf = (join: Join): TokenJoin | null => (join.by === "service-account-token" ? join : null);

/** The user name with which a machine requests its first certificate. */
export const bootstrapperOf = (join: Join, nodeName: string): string =>
  join.by === "service-account-token" ? userNameOf(join.account) : `system:node:${nodeName}`;
