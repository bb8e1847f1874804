import { csrTemplateOf } from "../access/certificate-requests.ts";
import { type Cause, required, unsupported, wrong } from "../model/failure.ts";
import { fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import type { SigningRequest } from "../model/shapes.ts";

/** Key usages of certificates.k8s.io/v1. */
const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** Shortest lifetime that a requester may set: certificates.k8s.io/v1 expirationSeconds. */
const SHORTEST = 600;

function requestCauses(object: KubeObject, request: unknown): Cause[] {
  if (!request) return [required("spec.request")];
  return csrTemplateOf(object as SigningRequest)
    ? []
    : [wrong("spec.request", request, "PEM block type must be CERTIFICATE REQUEST")];
}

function signerCauses(signer: unknown): Cause[] {
  if (!signer) return [required("spec.signerName")];
  const parts = String(signer).split("/");
  const qualified = parts.length === 2 && parts[0]?.includes(".") && parts[1];
  return qualified
    ? []
    : [
        wrong(
          "spec.signerName",
          signer,
          "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        ),
      ];
}

/** Lists the errors of a CertificateSigningRequest. */
export function signingRequestCauses(object: KubeObject): Cause[] {
  const spec = fieldsOf(object.spec);
  const wanted = listOf<string>(spec.usages);
  return [
    ...requestCauses(object, spec.request),
    ...(wanted.length === 0 ? [required("spec.usages")] : []),
    ...wanted.flatMap((one, index) =>
      usages.includes(one) ? [] : [unsupported(`spec.usages[${index}]`, one, usages)],
    ),
    ...signerCauses(spec.signerName),
    ...(Number(spec.expirationSeconds ?? SHORTEST) < SHORTEST
      ? [
          wrong(
            "spec.expirationSeconds",
            spec.expirationSeconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]
      : []),
  ];
}
