import { NO_NODE_CHANGED, Refused } from "../../errors.ts";
import { ecrRegistryOf } from "./ecr.ts";
import { addressOf, locationOf } from "./location.ts";

/**
 * The description of the secret lists its hosts, so that functions need not read the passwords: "Registries: quay.io
 * mirror.example.com:5000".
 */
const BEGINNING = "Registries:";

/** Longest description of a secret (Secrets Manager API Reference, UpdateSecret). */
export const LONGEST_DESCRIPTION = 2048;

/** Writes the hosts of a secret into its description. */
export const credentialsText = (hosts: readonly string[]): string => [BEGINNING, ...hosts.toSorted()].join(" ");

/**
 * Reads the host of a credential: exact, with its port if it has one.
 * @returns the host as the secret has it; undefined for a wildcard, a scheme, a path or another text
 */
export function credentialHost(text: string): string | undefined {
  const location = locationOf(text);
  return typeof location === "string" || location.path !== "" || text.includes("/") ? undefined : location.host;
}

/**
 * Reads the hosts from the description of a secret.
 * @throws Refused that names a text which is no host
 */
export function credentialHosts(description: string): readonly string[] {
  if (!description.startsWith(BEGINNING)) return [];
  const texts = description.slice(BEGINNING.length).split(" ").filter(Boolean);
  const wrong = texts.find((text) => credentialHost(text) !== text);
  if (wrong !== undefined)
    throw new Refused(
      `the description of the secret with the registries' credentials names ${wrong}, which is no host, ${NO_NODE_CHANGED}; \`npm run connect -- registries\` writes it anew`,
    );
  return texts;
}

/**
 * Finds the credential of a host: a registry of ECR has that of the machine's role.
 * @param hosts hosts that have one in the secret
 * @returns the credential's name, which is a host
 */
export const credentialFor = (host: string, hosts: readonly string[]): string | undefined =>
  ecrRegistryOf(addressOf(host)) ?? hosts.find((one) => addressOf(one) === addressOf(host));
