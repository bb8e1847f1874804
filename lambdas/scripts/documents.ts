/** Scripts that read a machine and change nothing: they need no lease, and one command may go to many machines. */
const lookScripts = ["observe"] as const;

/** Scripts that change a machine: each machine that one of them goes to must be leased. */
const changeScripts = ["apply", "reboot", "route"] as const;

/** One of the scripts that change nothing. */
export type LookScript = (typeof lookScripts)[number];

/** One of the scripts that change a machine. */
export type ChangeScript = (typeof changeScripts)[number];

/** Scripts that reach a machine as SSM documents; the others are files on the machine. */
export const documentScripts = ["apply", "observe", "reboot", "route"] as const satisfies readonly (
  | LookScript
  | ChangeScript
)[];

/** One of the scripts that the bot sends. */
export type DocumentScript = (typeof documentScripts)[number];

/** Limits that a document sets for its script. */
export interface DocumentLimits {
  /** The agent ends the script after so many seconds; it takes 5 to 172,800 (SSM user guide, aws:runPowerShellScript). */
  readonly timeoutSeconds: number;
  /** Longest base64 request in characters; document and parameters together may be 64 KB (SSM user guide). */
  readonly maxRequest: number;
}

/**
 * - apply: a feature and a payload of half a gigabyte take minutes. A larger plan travels by the bucket.
 * - observe: on a fresh Windows Server 2025 the list of features alone takes 210 s (PowerShell/PowerShell issue 24500);
 *   PowerShell and its network modules come before it, on a disk that is still filled from S3, and a run of the guard is
 *   waited for up to a minute. Together that is 320 s; twice as much is allowed.
 * - route: the guard's first run may take as long as EC2Launch, four minutes at most, and starting PowerShell one more.
 * - reboot: Windows may install updates for two hours before the agent runs the script again.
 */
export const documentLimits: Readonly<Record<DocumentScript, DocumentLimits>> = {
  apply: { timeoutSeconds: 1800, maxRequest: 16_384 },
  observe: { timeoutSeconds: 640, maxRequest: 16_384 },
  reboot: { timeoutSeconds: 8100, maxRequest: 1024 },
  route: { timeoutSeconds: 600, maxRequest: 1024 },
};

/** Characters of the content's hash in a document's name. */
export const HASH_LENGTH = 12;

/**
 * The name of a script's document. It holds the content's hash, so an execution that began before a deployment still
 * finds the script that it was written for. It holds the cluster too: an account may have several.
 * @param sha256 of the document's content, hex
 */
export const documentName = (cluster: string, script: DocumentScript, sha256: string): string =>
  `casement-${cluster}-${script}-${sha256.slice(0, HASH_LENGTH)}`;
