import { z } from "zod";
import type { ClusterCredential } from "./kubernetes.ts";

const shape = z.object({
  server: z.url({ protocol: /^https$/, message: "must be an address like https://api-int.example.com:6443" }),
  ca: z.string().includes("-----BEGIN CERTIFICATE-----", { message: "must be a certificate in PEM" }),
  token: z.string().regex(/^\S+$/, "must be one word"),
});

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Parses the cluster credential.
 * @param text content of the secret
 * @throws Error that names the invalid fields, never a value
 */
export function clusterCredentialOf(text: string): ClusterCredential {
  const read = shape.safeParse(jsonOf(text));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")} ${message}` : message,
  );
  throw new Error(`the cluster credential must be JSON with server, ca and token: ${faults.join("; ")}`);
}
