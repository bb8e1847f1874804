import { X509Certificate } from "node:crypto";
import { RegionInfo } from "aws-cdk-lib/region-info";
import { z } from "zod";
import { networksOverlap } from "../lambdas/machine/network-address.ts";

/** Checks of the values in a configuration file that a person wrote: each error names a valid value. */

/** An AWS id, such as "vpc-0a1b2c3d". */
export const awsId = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}-([0-9a-f]{8}|[0-9a-f]{17})$`), `must be an id, ${prefix}-0a1b2c3d4e5f60718`);

/** A list without duplicates. */
export const distinct = <T extends z.ZodType<string>>(value: T) =>
  z
    .array(value)
    .min(1)
    .refine((list) => new Set(list).size === list.length, { error: "names something twice" });

/** The account's number in quotation marks: without them YAML reads a number, and a leading zero may be lost. */
export const account = z
  .string('must be in quotation marks, "111122223333": it is an id, not a number')
  .regex(/^\d{12}$/, "must be an account id of twelve digits");

/** A region of the partition "aws": the ARNs in the statements are written only for it. */
export const region = z.string().superRefine((name, context) => {
  const known = RegionInfo.regions.find((one) => one.name === name);
  if (!known) {
    const message = `there is no region ${name} of AWS's, us-west-2 is one`;
    return context.addIssue({ code: "custom", message });
  }
  if (known.partition === "aws") return;
  const message = `${name} is in the partition ${known.partition}: only regions of the partition aws are supported, because permissions name resources as arn:aws:…`;
  context.addIssue({ code: "custom", message });
});

/** EC2 user guide, "Amazon EC2 instance type naming conventions": series, generation, then g for AWS's Arm processors. */
const ARM = /^(a1|[a-z]+\d+g[a-z-]*)$/;
const NOT_WINDOWS = /^(mac|inf|trn|dl|vt|f)\d/;

/** Family and size of an instance that Windows Server runs on. */
export const instanceType = z
  .string()
  .regex(
    /^(u-)?[a-z]+\d*[a-z0-9-]*\d[a-z0-9-]*\.(nano|micro|small|medium|large|(\d+)?xlarge|metal(-\d+xl)?)$/,
    "must be a family and a size, m6i.xlarge",
  )
  .refine((type) => !ARM.test(type.split(".")[0] ?? ""), {
    error: "is an Arm machine, and there is no Windows Server for Arm on EC2: take one of Intel's or AMD's, m6i.xlarge",
  })
  .refine((type) => !NOT_WINDOWS.test(type), { error: "is a machine that Windows Server does not run on" });

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function certificatesIn(text: string): (X509Certificate | null)[] {
  return (text.match(BLOCK) ?? []).map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      return null;
    }
  });
}

/**
 * Finds the fault in the PEM of a certificate authority; null if it is valid. A bundle may hold other certificates too.
 * @param now milliseconds since the epoch
 */
function authorityFault(text: string, now: number): string | null {
  const certificates = certificatesIn(text);
  if (certificates.length === 0) return "must be a certificate in PEM, from -----BEGIN CERTIFICATE----- to -----END";
  if (certificates.includes(null))
    return "holds a certificate that cannot be read: copy it whole, with its line breaks";
  const authorities = certificates.filter((one) => one !== null).filter(({ ca }) => ca);
  if (authorities.length === 0) return "holds no authority's certificate (CA:TRUE), only one of a server or a person";
  const ends = authorities.map(({ validToDate }) => validToDate.getTime());
  return Math.max(...ends) > now ? null : `expired on ${new Date(Math.max(...ends)).toISOString().slice(0, 10)}`;
}

/** The PEM of a certificate authority that is valid at a moment. */
export const authority = (now: number) =>
  z.string().superRefine((text, context) => {
    const message = authorityFault(text, now);
    if (message !== null) context.addIssue({ code: "custom", message });
  });

/** Kubernetes' rules for label keys (docs: "Labels and Selectors", syntax); the rules for taints are the same. */
const anyKey = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/, "must be a label's key");

/**
 * Domains that Kubernetes (docs: "Well-Known Labels, Annotations and Taints"), OpenShift and Casement reserve. By these
 * labels admission policies recognise Windows nodes, roles and the objects that the bot may change.
 */
const RESERVED = /(^|\.)(kubernetes\.io|k8s\.io|openshift\.io|casement\.dev)\//;

/** A label or taint key that a pool may give its nodes. The bot gets the right to set each of these keys. */
export const ownKey = anyKey.refine((key) => !RESERVED.test(key), {
  error: "is in a domain that Kubernetes, OpenShift or Casement keeps for itself: use one of yours, example.com/role",
});

/** CloudFormation API Reference, "Tag": at most 128 characters, and not the prefix that AWS reserves. */
export const tagKey = z
  .string()
  .min(1)
  .max(128)
  .refine((key) => !/^(aws:|casement:)/i.test(key), { error: "must not begin with aws: or casement:" });

export const labelValue = z.string().regex(/^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/, "must be a label's value");

/** Names in tags, rules and documents. */
export const clusterName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,32}[a-z0-9])?$/,
    "must be at most 34 of a-z, 0-9 and -, and neither begin nor end with -",
  );

export const poolName = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/, "a pool's name must be at most 30 of a-z, 0-9 and -, such as web");

/** Finds address ranges that overlap. @returns the paths of both ranges of each pair */
export function overlaps(networks: Readonly<Record<string, string>>): (readonly [string, string])[] {
  const names = Object.keys(networks);
  return names.flatMap((one, at) =>
    names
      .slice(at + 1)
      .filter((other) => networksOverlap(networks[one] ?? "", networks[other] ?? ""))
      .map((other) => [one, other] as const),
  );
}
