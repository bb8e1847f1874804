import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Addresses of the sandbox's services, for clients outside its process. */
export interface Endpoints {
  readonly ui: string;
  readonly frontDoor: string;
  readonly signingSecret: string;
  readonly slack: string;
  readonly botToken: string;
  readonly aws: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly kubernetes: string;
  readonly kubeconfig: string;
  readonly control: string;
}

/** An administrator's access to the simulated cluster, with certificates and key in PEM. */
export interface ClusterAccess {
  readonly server: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Writes a kubeconfig as JSON, which is valid YAML, so kubectl reads it. */
const kubeconfigOf = ({ server, authority, certificate, key }: ClusterAccess): string =>
  `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "sandbox",
      clusters: [{ name: "sandbox", cluster: { server, "certificate-authority-data": base64(authority) } }],
      users: [
        { name: "admin", user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) } },
      ],
      contexts: [{ name: "sandbox", context: { cluster: "sandbox", user: "admin" } }],
    },
    null,
    2,
  )}\n`;

/** Writes `.sandbox/endpoints.json` and `.sandbox/kubeconfig`; both contain secrets, but only the sandbox's. */
export function writeEndpoints(folder: string, endpoints: Endpoints, access: ClusterAccess): void {
  writeFileSync(join(folder, "kubeconfig"), kubeconfigOf(access), { mode: 0o600 });
  writeFileSync(join(folder, "endpoints.json"), `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 });
}

/** Text that `npm start` prints once the sandbox is ready. */
export const banner = (
  { ui, kubeconfig }: Endpoints,
  { resumed, nodes }: { readonly resumed: boolean; readonly nodes: number },
): string =>
  [
    "",
    `  Casement sandbox: ${ui}`,
    "",
    `  ${resumed ? "Resumed from the saved state (--fresh starts over)." : `New demo cluster: ${nodes === 4 ? "four" : nodes} Windows nodes, four people.`}`,
    "  Type /win help in the page, or:",
    `    kubectl --kubeconfig ${kubeconfig} get nodes`,
    "  Addresses and keys are in .sandbox/endpoints.json. Ctrl-C ends it.",
    "",
  ].join("\n");
