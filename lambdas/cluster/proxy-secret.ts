/**
 * Name of the secret with the users and passwords of the cluster's proxy. Its value is a JSON object: "http" and "https"
 * → `user:password`, as they stand in the addresses.
 */
export const proxySecret = (cluster: string): string => `casement/${cluster}/proxy`;
