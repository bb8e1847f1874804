/** Scripts that only read a machine: they need no lease, and one command may go to many machines. */
const observeScripts = ["observe"] as const;

/** Scripts that change a machine: each machine that gets one of them must be leased. */
const changeScripts = ["apply", "reboot", "route"] as const;

/** Name of a script that changes nothing. */
export type ObserveScript = (typeof observeScripts)[number];

/** Name of a script that changes a machine. */
export type ChangeScript = (typeof changeScripts)[number];

/** Scripts that Casement sends as SSM documents; the others are files on the machine. */
export const documentScripts = ["apply", "observe", "reboot", "route"] as const satisfies readonly (
  | ObserveScript
  | ChangeScript
)[];

/** Name of a script that the bot sends. */
export type DocumentScript = (typeof documentScripts)[number];

/** Limits that a document sets for its script. */
export interface DocumentLimits {
  /** Seconds after which the agent ends the script, 5 to 172,800 (SSM user guide, aws:runPowerShellScript). */
  readonly timeoutSeconds: number;
  /** Longest base64 request in characters; document and parameters together may have 64 KB (SSM user guide). */
  readonly maxRequest: number;
}

/**
 * Limits of each document.
 * - apply: a feature and a payload of half a gigabyte take minutes. Its request has 4 KB, so that the script has most
 *   of the 64 KB; the bucket delivers a larger plan.
 * - observe: on a fresh Windows Server 2025 the list of features takes 210 s (PowerShell/PowerShell issue 24500).
 *   Before it, PowerShell loads its network modules from a disk that is still filled from S3, and the script waits up
 *   to a minute for a run of the guard. Together that takes 320 s; the limit is twice as long.
 * - route: the guard's first run may take as long as EC2Launch, at most four minutes; PowerShell starts within another.
 * - reboot: Windows may install updates for two hours before the agent runs the script again.
 */
export const documentLimits: Readonly<Record<DocumentScript, DocumentLimits>> = {
  apply: { timeoutSeconds: 1800, maxRequest: 4096 },
  observe: { timeoutSeconds: 640, maxRequest: 16_384 },
  reboot: { timeoutSeconds: 8100, maxRequest: 1024 },
  route: { timeoutSeconds: 600, maxRequest: 1024 },
};

/** Characters of the content's hash in a document's name. */
export const HASH_LENGTH = 12;

/**
 * Builds the name of a script's document. It contains the content's hash, so that an execution that began before a
 * deployment still finds its own version of the script, and the cluster, because an account may have several.
 * @param sha256 hash of the document's content in hexadecimal
 */
export const documentName = (cluster: string, script: DocumentScript, sha256: string): string =>
  `casement-${cluster}-${script}-${sha256.slice(0, HASH_LENGTH)}`;
