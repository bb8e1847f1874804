/**
 * The service accounts of the bot: `look` reads, `act` changes and removes nodes, `join` lets machines join. The
 * reviewed manifest (lib/manifests/cluster-access.yaml) creates them.
 */
export const accounts = ["look", "act", "join"] as const;

/** Name of one of these accounts. */
export type Account = (typeof accounts)[number];

/** Namespace of the accounts; each has a Secret of the same name there, to which its tokens are bound. */
export const ACCOUNT_NAMESPACE = "casement";

/** A service account of the cluster. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** The user name by which the API server knows a service account. */
export const userNameOf = ({ namespace, name }: ServiceAccount): string => `system:serviceaccount:${namespace}:${name}`;

/** The user name by which the API server knows an account of the bot. */
export const userOf = (account: Account): string => userNameOf({ namespace: ACCOUNT_NAMESPACE, name: account });

/** Name of the secret in Secrets Manager with an account's credential: JSON { server, ca, token }. */
export const secretOf = (cluster: string, account: Account): string => `casement/${cluster}/kubernetes/${account}`;

/** Checks that a text is the name of an account. */
export const isAccount = (name: string): name is Account => accounts.some((account) => account === name);
