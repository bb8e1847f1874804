import type { Random } from "../core/random.ts";
import type { Key } from "./signature.ts";

/** Temporary credentials of an instance's role. */
export interface RoleCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly token: string;
  /** Ms since the epoch, by the host's clock. */
  readonly until: number;
}

/**
 * Issues credentials of an instance's role and adds them to the key ring of the AWS endpoint.
 * @param keys the key ring, by access key id; a key that has expired stays in it
 * @param until when they expire, ms since the epoch
 */
export function issueRoleCredentials(
  keys: Map<string, Key>,
  random: Random,
  instanceId: string,
  until: number,
): RoleCredentials {
  const credentials = {
    accessKeyId: `ASIA${random.hex(16).toUpperCase()}`,
    secretAccessKey: random.hex(40),
    // As long as AWS's tokens: some hundred characters of base64, with characters that other formats must escape.
    token: `IQoJ+/${Buffer.from(random.hex(300)).toString("base64")}`,
    until,
  };
  const { accessKeyId, secretAccessKey: secret, token: sessionToken } = credentials;
  keys.set(accessKeyId, { secret, principal: `instance/${instanceId}`, sessionToken, until });
  return credentials;
}
