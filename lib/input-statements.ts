// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import { bucket, secret } from "./arns.ts";
import type { Statement } from "./statement.ts";

/** Keeps the contents of inputs, and reads them to give a machine back what it had. */
export const inputContents: readonly Statement[] = [
  {
    sid: "KeepInputs",
    actions: ["s3:PutObject"],
    resources: [`${bucket}/inputs/*`],
    why: "One object per content, named with its hash.",
  },
  {
    sid: "ReadInputs",
    actions: ["s3:GetObject"],
    resources: [`${bucket}/inputs/*`],
    why: "A reader compares the content with the hash in its name.",
  },
];

/** Sees which registries have a credential, and in which version; the machines alone read the passwords. */
export const seeRegistryCredentials: Statement = {
  sid: "SeeRegistryCredentials",
  actions: ["secretsmanager:DescribeSecret"],
  resources: [secret("registries-??????")],
};
