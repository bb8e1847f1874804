/** Scripts that reach a machine as SSM documents; the others lie on the machine as files. */
export const documentScripts = ["apply", "observe", "reboot"] as const;

/** One of the scripts that the bot sends. */
export type DocumentScript = (typeof documentScripts)[number];

/** What a document allows its script. */
export interface DocumentLimits {
  /** The agent ends the script after so many seconds; it takes 5 to 172,800 (SSM user guide, aws:runPowerShellScript). */
  readonly timeoutSeconds: number;
  /** Longest base64 request in characters; document and parameters together may be 64 KB (SSM user guide). */
  readonly maxRequest: number;
}

/** A plan of 16 KB is 22,000 characters of base64; a feature and a payload of half a gigabyte take minutes. */
export const documentLimits: Readonly<Record<DocumentScript, DocumentLimits>> = {
  apply: { timeoutSeconds: 1800, maxRequest: 24_000 },
  observe: { timeoutSeconds: 120, maxRequest: 64 },
  reboot: { timeoutSeconds: 1800, maxRequest: 1024 },
};

/**
 * The name of a script's document. It holds the content's hash, so an execution that began before a deployment still
 * finds the script that it was written for. It holds the cluster too: an account may have several.
 * @param sha256 of the document's content, hex
 */
export const documentName = (cluster: string, script: DocumentScript, sha256: string): string =>
  `casement-${cluster}-${script}-${sha256.slice(0, 12)}`;
