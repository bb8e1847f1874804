/**
 * Name of the secret with the credentials of registries. Its value is a JSON object: host, with its port if it has one,
 * → base64 of `user:password`.
 */
export const registriesSecret = (cluster: string): string => `casement/${cluster}/registries`;
