import { createHash } from "node:crypto";
import { type DocumentScript, documentLimits, documentName, documentScripts } from "../../lambdas/scripts/documents.ts";
import { scriptText } from "./script-text.ts";

/** An SSM document made from a script. */
export interface ScriptDocument {
  readonly script: DocumentScript;
  readonly name: string;
  /** JSON of schema 2.2, as CreateDocument accepts it. */
  readonly content: string;
  /** The document's hash in hexadecimal, as SSM reports it. */
  readonly sha256: string;
}

/** Largest size in bytes of content and run-time parameters together (SSM user guide, "Create an SSM document"). */
const DOCUMENT_LIMIT = 64 * 1024;

// The service (Java) and the agent (Go's RE2) both check the pattern, and both read this one alike. RE2 refuses a
// repetition above 1,000 (Go's regexp/syntax), so maxChars limits the length.
const requestParameter = (maxRequest: number) => ({
  type: "String",
  description: "The request, base64 of JSON.",
  allowedPattern: "^[A-Za-z0-9+/=]*$",
  maxChars: maxRequest,
});

/**
 * Reduces a script to the lines of a document: comments, empty lines and indentation are removed, because a document
 * and its parameters share 64 KB. The first line, which names the script, is kept.
 */
const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line, at) => at === 0 || !(line === "" || line.startsWith("#")));

const step = (script: DocumentScript, text: string, timeoutSeconds: number) => ({
  action: "aws:runPowerShellScript",
  name: script,
  precondition: { StringEquals: ["platformType", "Windows"] },
  inputs: { timeoutSeconds: String(timeoutSeconds), runCommand: linesOf(text) },
});

/**
 * Makes the SSM document of a script.
 * @param cluster whose bot may send it
 * @param script decides limits and name
 * @param text the whole script, with `{{ Request }}` in place of its request
 * @throws Error if the document could exceed SSM's limit
 */
export function scriptDocument(cluster: string, script: DocumentScript, text: string): ScriptDocument {
  const { timeoutSeconds, maxRequest } = documentLimits[script];
  const content = JSON.stringify({
    schemaVersion: "2.2",
    description: `Casement: ${script}`,
    parameters: { Request: requestParameter(maxRequest) },
    mainSteps: [step(script, text, timeoutSeconds)],
  });
  const size = Buffer.byteLength(content) + maxRequest;
  if (size > DOCUMENT_LIMIT)
    throw new Error(`The document of ${script} needs ${size} bytes, SSM takes ${DOCUMENT_LIMIT}.`);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { script, name: documentName(cluster, script, sha256), content, sha256 };
}

/** Makes every document that a cluster's bot may send, for the stack and for the sandbox. */
export const scriptDocuments = (cluster: string): ScriptDocument[] =>
  documentScripts.map((script) => scriptDocument(cluster, script, scriptText(script)));

/** Script → hash of its document's content, which the functions read from `CASEMENT_DOCUMENTS`. */
export const documentHashes = (documents: readonly ScriptDocument[]): Record<string, string> =>
  Object.fromEntries(documents.map(({ script, sha256 }) => [script, sha256]));
