// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { type DocumentScript, documentScripts, HASH_LENGTH } from "../lambdas/scripts/documents.ts";

/** ARNs of a cluster's stack, with the placeholders that permissionsFor fills. */
export const table = "arn:aws:dynamodb:${region}:${account}:table/${table}";

export const bucket = "arn:aws:s3:::${bucket}";

export const topic = "arn:aws:sns:${region}:${account}:${topic}";

export const secret = (path: string): string =>
  `arn:aws:secretsmanager:\${region}:\${account}:secret:casement/\${cluster}/${path}`;

export const ec2 = (resource: string): string => `arn:aws:ec2:\${region}:\${account}:${resource}`;

export const lambda = (name: string): string => `arn:aws:lambda:\${region}:\${account}:function:\${name:${name}}`;

/** A dead-letter queue: that of a function, or "undelivered" for that of the rules. */
export const queue = (name: string): string => `arn:aws:sqs:\${region}:\${account}:\${queue:${name}}`;

/** Every stream of a function's log group. */
export const logStreams = (name: string): string => `arn:aws:logs:\${region}:\${account}:log-group:\${log:${name}}:*`;

/** Documents of one script with any content hash. The pattern matches no document of another cluster. */
export const documentsOf = (script: DocumentScript): string =>
  `arn:aws:ssm:\${region}:\${account}:document/casement-\${cluster}-${script}-${"?".repeat(HASH_LENGTH)}`;

/** Documents of every script. */
export const documents = documentScripts.map(documentsOf);

export const rule = (name: string): string => `arn:aws:events:\${region}:\${account}:rule/casement-\${cluster}-${name}`;
