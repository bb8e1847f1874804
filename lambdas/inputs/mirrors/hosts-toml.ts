import { parse, stringify } from "smol-toml";

/** A host that containerd asks for a registry. */
export interface HostEntry {
  /** With the whole path before the repository: "https://mirror.example.com/v2/hub". */
  readonly url: string;
  /** Without a value the host may do everything. */
  readonly capabilities: readonly ("pull" | "resolve")[] | undefined;
  readonly skipsVerification: boolean;
  /** Field of the secret with the host's credential, base64 of `user:password`. */
  readonly credential?: string;
}

const settingsOf = ({ capabilities, skipsVerification, credential }: HostEntry): object => ({
  ...(capabilities ? { capabilities: [...capabilities] } : {}),
  // The URL has /v2 already, before the mirror's path.
  override_path: true,
  ...(skipsVerification ? { skip_verify: true } : {}),
  // In capitals: a key in other letters is sent beside a pull secret, not in its place (core/remotes/docker).
  ...(credential === undefined ? {} : { header: { Authorization: `Basic <<${credential}>>` } }),
});

/**
 * Lines that every containerd reads in the same way. From others it takes hosts that others do not (inline and dotted
 * tables), or drops the file and asks the source (byte order mark, unknown capability).
 */
const LINE =
  /^(?:|server = "https?:\/\/[!#-[\]-~]+"|capabilities = \[ "pull"(?:, "resolve")? \]|override_path = true|skip_verify = true|\[host\."https?:\/\/[!#-[\]-~]+"(?:\.header)?\]|\[header\]|Authorization = "Basic <<[a-z0-9.:-]+>>")$/;

/** @throws Error if containerd would not read the text as the value */
function checkText(text: string, value: object): void {
  const strange = text.split("\n").find((line) => !LINE.test(line));
  if (strange !== undefined) throw new Error(`a hosts.toml has a line that containerd may not read: ${strange}`);
  // The order of hosts is part of what is compared.
  if (JSON.stringify(parse(text)) !== JSON.stringify(value))
    throw new Error(`a hosts.toml does not read as it was meant: ${text}`);
}

/**
 * Renders the hosts.toml of a registry. The last host becomes the server, which containerd asks when the others failed.
 * Without a server it would be the source. If it is the only host, it stands in `[host]` too: containerd up to 1.7.31
 * drops a file without such a table and asks the source. Each credential is a hole, which the machine fills; a header at
 * the root goes only to the server.
 * @param hosts at least one, in the order in which they are asked, each once
 */
export function hostsToml(hosts: readonly HostEntry[]): string {
  const server = hosts.at(-1);
  if (!server) throw new Error("a hosts.toml needs a host");
  if (new Set(hosts.map(({ url }) => url)).size < hosts.length) throw new Error("a host stands in a hosts.toml twice");
  const others = hosts.length > 1 ? hosts.slice(0, -1) : hosts;
  const value = {
    server: server.url,
    ...settingsOf(server),
    host: Object.fromEntries(others.map((host) => [host.url, settingsOf(host)])),
  };
  const text = stringify(value);
  checkText(text, value);
  return text;
}

/** Hosts that containerd asks, in their order, as the file names them. */
export const hostsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/^\[host\."https?:\/\/([^"]+)"\]/gm)].map(([, host = ""]) => host.replace("/v2", "")),
];
