// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

/** ARNs of a cluster's stack, with the placeholders that permissionsFor fills. */
export const table = "arn:aws:dynamodb:${region}:${account}:table/${table}";

export const secret = (path: string): string =>
  `arn:aws:secretsmanager:\${region}:\${account}:secret:casement/\${cluster}/${path}`;

export const ec2 = (resource: string): string => `arn:aws:ec2:\${region}:\${account}:${resource}`;

export const lambda = (name: string): string => `arn:aws:lambda:\${region}:\${account}:function:\${name:${name}}`;
