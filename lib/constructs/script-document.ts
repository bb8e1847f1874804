import { createHash } from "node:crypto";
import { type DocumentScript, documentLimits, documentName, documentScripts } from "../../lambdas/scripts/documents.ts";
import { scriptText } from "./script-text.ts";

/** An SSM document made from a script. */
export interface ScriptDocument {
  readonly script: DocumentScript;
  readonly name: string;
  /** Schema 2.2, as CreateDocument takes it. */
  readonly content: string;
  /** Hex; what SSM reports as the document's hash. */
  readonly sha256: string;
}

/** SSM user guide, "Create an SSM document": content and parameters at run time together. */
const DOCUMENT_LIMIT = 64 * 1024;

// The pattern is checked twice, by the service (Java) and by the agent (Go's RE2), and both read this one alike. It does
// not count: RE2 refuses a pattern with a count above 1,000 (Go's regexp/syntax), so the length is in maxChars.
const requestParameter = (maxRequest: number) => ({
  type: "String",
  description: "The request, base64 of JSON.",
  allowedPattern: "^[A-Za-z0-9+/=]*$",
  maxChars: maxRequest,
});

/**
 * A script's lines as a document carries them: comments, empty lines and indentation stay in the repository, because a
 * document and its parameters share 64 KB. The first line names the script.
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
 * @param script which one: decides limits and name
 * @param text the whole script, with `{{ Request }}` where its request goes
 * @throws Error when the document could exceed what SSM takes
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

/** Every document that a cluster's bot may send: the one list for the stack and for the sandbox. */
export const scriptDocuments = (cluster: string): ScriptDocument[] =>
  documentScripts.map((script) => scriptDocument(cluster, script, scriptText(script)));

/** Script → hash of its document's content, as the functions are told through `CASEMENT_DOCUMENTS`. */
export const documentHashes = (documents: readonly ScriptDocument[]): Record<string, string> =>
  Object.fromEntries(documents.map(({ script, sha256 }) => [script, sha256]));
