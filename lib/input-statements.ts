// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import { bucket, secret } from "./arns.ts";
import type { Statement } from "./statement.ts";

/** Keeps the contents of inputs, and reads them to give a machine back what it had. */
export const inputContents: readonly Statement[] = [
  {
    sid: "KeepInputs",
    actions: ["s3:GetObject", "s3:PutObject"],
    resources: [`${bucket}/inputs/*`],
    why: "One object per content, named with its hash; a reader compares the content with it.",
  },
];

/**
 * Sees which registries have a credential and whether the proxy has a password, and in which version; the machines alone
 * read them.
 */
export const seeInputSecrets: Statement = {
  sid: "SeeInputSecrets",
  actions: ["secretsmanager:DescribeSecret"],
  resources: [secret("registries-??????"), secret("proxy-??????")],
};

/** Stores the password of the proxy for the machines. */
const keepProxyCredentials: Statement = {
  sid: "KeepProxyCredentials",
  actions: ["secretsmanager:UpdateSecret"],
  resources: [secret("proxy-??????")],
};

/** Gives a new machine its inputs. */
export const machineInputs: readonly Statement[] = [...inputContents, seeInputSecrets];

/** Gives machines what the cluster's administrators decide for them. */
export const clusterInputs: readonly Statement[] = [...machineInputs, keepProxyCredentials];
