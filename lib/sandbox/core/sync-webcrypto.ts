import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

/** A key as the certificate library passes it around, with the key of node:crypto inside. */
export interface SyncKey {
  readonly algorithm: Readonly<Record<string, string>>;
  readonly type: "public" | "private";
  readonly key: KeyObject;
}

/** Algorithm of every key of the simulator, as kubelets make them. */
export const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A new key, PKCS #8 as PEM. */
export const newKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: keyAlgorithm.namedCurve })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

type KeyPair = Parameters<typeof import("@peculiar/x509").Pkcs10CertificateRequestGenerator.create>[0]["keys"];

/**
 * Both halves of a key in the form that the certificate library takes.
 * @param pem as `newKey` gives it
 */
export function keysOf(pem: string): KeyPair {
  const halves: Record<"privateKey" | "publicKey", SyncKey> = {
    privateKey: { algorithm: keyAlgorithm, type: "private", key: createPrivateKey(pem) },
    publicKey: { algorithm: keyAlgorithm, type: "public", key: createPublicKey(pem) },
  };
  return halves as unknown as KeyPair;
}

interface Named {
  readonly hash?: string | { readonly name: string };
}

const digestOf = ({ hash }: Named): string =>
  (typeof hash === "string" ? hash : (hash?.name ?? "SHA-256")).replace("-", "");

// ECDSA signatures of the Web Crypto API are plain numbers side by side (IEEE P1363); RSA keys take no notice.
const encoding = { dsaEncoding: "ieee-p1363" } as const;

/**
 * The verbs of the Web Crypto API that certificates need, done by node:crypto before they return. The real ones end on
 * another thread whenever they like, and a journey's clock would have to guess how long to wait.
 */
export const syncWebcrypto = {
  subtle: {
    importKey: async (_format: string, data: ArrayBuffer, algorithm: Record<string, string>): Promise<SyncKey> => ({
      algorithm,
      type: "public",
      key: createPublicKey({ key: Buffer.from(data), format: "der", type: "spki" }),
    }),
    exportKey: async (_format: string, { key }: SyncKey): Promise<ArrayBuffer> =>
      new Uint8Array(key.export({ type: "spki", format: "der" })).buffer,
    sign: async (algorithm: Named, { key }: SyncKey, data: ArrayBuffer): Promise<ArrayBuffer> =>
      new Uint8Array(sign(digestOf(algorithm), Buffer.from(data), { key, ...encoding })).buffer,
    verify: async (algorithm: Named, { key }: SyncKey, signature: ArrayBuffer, data: ArrayBuffer): Promise<boolean> =>
      verify(digestOf(algorithm), Buffer.from(data), { key, ...encoding }, Buffer.from(signature)),
  },
} as unknown as Parameters<typeof import("@peculiar/x509").X509CertificateGenerator.create>[1];
