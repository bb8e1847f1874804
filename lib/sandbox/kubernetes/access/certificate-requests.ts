// @peculiar/x509 needs the reflection API before it is loaded.
import "reflect-metadata";

import { Pkcs10CertificateRequest } from "@peculiar/x509";
import { memoize } from "../../core/memoize.ts";
import type { SigningRequest } from "../model/shapes.ts";

/** Subject and names in a PKCS #10 request. */
export interface CsrTemplate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly names: readonly { readonly type: string; readonly value: string }[];
  readonly parsed: Pkcs10CertificateRequest;
}

const SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";

function namesIn(request: Pkcs10CertificateRequest): CsrTemplate["names"] {
  const extension = request.extensions.find(({ type }) => type === SUBJECT_ALTERNATIVE_NAME);
  const names = extension && "names" in extension ? (extension.names as { toJSON(): CsrTemplate["names"] }) : undefined;
  return names?.toJSON() ?? [];
}

/** Every write of a request is validated, admitted and looked at by the controllers: its text is parsed once. */
const templateIn = memoize((request): CsrTemplate | null => {
  try {
    const parsed = new Pkcs10CertificateRequest(Buffer.from(request, "base64").toString("utf8"));
    const [commonName = ""] = parsed.subjectName.getField("CN");
    return { commonName, organizations: parsed.subjectName.getField("O"), names: namesIn(parsed), parsed };
  } catch {
    return null;
  }
});

/**
 * Reads the PEM inside a CertificateSigningRequest.
 * @returns undefined when it is no PKCS #10 request
 */
export const csrTemplateOf = ({ spec }: SigningRequest): CsrTemplate | undefined =>
  (typeof spec.request === "string" && templateIn(spec.request)) || undefined;
