import { promptCrypto } from "../../core/prompt-crypto.ts";
import { type Wish, wishOf } from "../access/certificate-requests.ts";
import { timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { conditionOf, isTrue, type SigningRequest } from "../model/shapes.ts";
import type { Controller, Plane } from "./controller.ts";

const requests = known("certificatesigningrequests", "certificates.k8s.io");

/** How long signing takes after approval (assumed; the controller acts on the watch). */
const SIGNING = 1_000;

/** Life of what is signed: OpenShift runs kube-controller-manager with cluster-signing-duration=720h. */
const DURATION = 720 * 3_600;

/** How long requests are kept, kube-controller-manager's csrcleaner: decided ones an hour, undecided ones a day. */
const KEPT = { decided: 3_600_000, pending: 24 * 3_600_000 };

const fault = (is: boolean, why: string): string | undefined => (is ? why : undefined);

const exactly = (usages: readonly string[], wanted: string): boolean => {
  const allowed = ["digital signature", "key encipherment", wanted];
  return (
    usages.includes("digital signature") && usages.includes(wanted) && usages.every((one) => allowed.includes(one))
  );
};

const isNode = ({ organizations, commonName }: Wish): boolean =>
  organizations.length === 1 && organizations[0] === "system:nodes" && commonName.startsWith("system:node:");

type Rule = (wish: Wish, usages: readonly string[]) => string | undefined;

/** What each signer refuses (k8s pkg/apis/certificates/helpers.go, pkg/controller/certificates/signer). */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  "kubernetes.io/kube-apiserver-client-kubelet": [
    (wish) =>
      fault(
        !isNode(wish),
        "subject organization is not system:nodes or common name does not begin with 'system:node:'",
      ),
    (wish) => fault(wish.names.length > 0, "subject alternative names are not allowed"),
    (_wish, usages) =>
      fault(!exactly(usages, "client auth"), "usages did not match [key encipherment digital signature client auth]"),
  ],
  "kubernetes.io/kubelet-serving": [
    (wish) =>
      fault(
        !isNode(wish),
        "subject organization is not system:nodes or common name does not begin with 'system:node:'",
      ),
    (wish) =>
      fault(!wish.names.some(({ type }) => type === "dns" || type === "ip"), "DNS or IP subjectAltName is required"),
    (wish) =>
      fault(
        wish.names.some(({ type }) => type !== "dns" && type !== "ip"),
        "email and URI subjectAltNames are not allowed",
      ),
    (_wish, usages) =>
      fault(!exactly(usages, "server auth"), "usages did not match [key encipherment digital signature server auth]"),
  ],
  "kubernetes.io/kube-apiserver-client": [
    (_wish, usages) =>
      fault(!exactly(usages, "client auth"), "usages did not match [key encipherment digital signature client auth]"),
  ],
};

function refusalOf(request: SigningRequest, wish: Wish | undefined): string | undefined {
  if (!wish) return "unable to parse csr";
  for (const rule of rules[request.spec.signerName] ?? []) {
    const why = rule(wish, request.spec.usages ?? []);
    if (why) return why;
  }
  return undefined;
}

function lastDecision(request: SigningRequest): number | undefined {
  const decision =
    conditionOf(request.status?.conditions, "Approved") ?? conditionOf(request.status?.conditions, "Denied");
  return decision && Date.parse(decision.lastUpdateTime ?? request.metadata.creationTimestamp);
}

/** When a request is forgotten. */
const expiryOf = (request: SigningRequest): number => {
  const decided = lastDecision(request);
  return decided === undefined ? Date.parse(request.metadata.creationTimestamp) + KEPT.pending : decided + KEPT.decided;
};

const isWaiting = ({ spec, status }: SigningRequest): boolean =>
  spec.signerName in rules &&
  isTrue(status?.conditions, "Approved") &&
  !isTrue(status?.conditions, "Denied") &&
  !isTrue(status?.conditions, "Failed") &&
  !status?.certificate;

/** Signs approved requests for the three signers of client and kubelet certificates, marks what it must refuse, forgets old ones. */
export function certificateSigner({ foundation, objects, authority }: Plane): Controller {
  const fail = (request: SigningRequest, message: string): void => {
    const now = timestamp(foundation.clock.now());
    const failed = {
      type: "Failed",
      status: "True" as const,
      reason: "SignerValidationFailure",
      message,
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
    objects.replace(requests, {
      ...request,
      status: { ...request.status, conditions: [...(request.status?.conditions ?? []), failed] },
    });
  };

  const issue = async (request: SigningRequest, wish: Wish): Promise<void> => {
    if (!(await wish.parsed.verify(promptCrypto))) return fail(request, "unable to verify csr signature");
    const usage = request.spec.signerName === "kubernetes.io/kubelet-serving" ? "server auth" : "client auth";
    const pem = await authority.sign({
      subject: wish.parsed.subject,
      publicKey: new Uint8Array(wish.parsed.publicKey.rawData),
      seconds: Math.min(request.spec.expirationSeconds ?? DURATION, DURATION),
      usages: [usage],
      names: wish.names as never,
    });
    const current = objects.get<SigningRequest>(requests, undefined, request.metadata.name);
    if (!current || !isWaiting(current)) return undefined;
    const certificate = Buffer.from(pem).toString("base64");
    objects.replace(requests, { ...current, status: { ...current.status, certificate } });
    return undefined;
  };

  const decide = (request: SigningRequest): void => {
    const wish = wishOf(request);
    const why = refusalOf(request, wish);
    if (why || !wish) fail(request, why ?? "unable to parse csr");
    else void foundation.busy(issue(request, wish).catch((error: Error) => fail(request, error.message)));
  };

  const sign = (request: SigningRequest): number => {
    const due = (lastDecision(request) ?? 0) + SIGNING;
    if (foundation.clock.now() < due) return due;
    decide(request);
    return expiryOf(request);
  };

  const forget = (request: SigningRequest): number | undefined => {
    if (foundation.clock.now() < expiryOf(request)) return expiryOf(request);
    objects.remove(requests, request);
    return undefined;
  };

  return {
    name: "certificate-signer",
    type: requests,
    reconcile: ({ name }) => {
      const request = objects.get<SigningRequest>(requests, undefined, name);
      if (!request) return undefined;
      return isWaiting(request) ? sign(request) : forget(request);
    },
  };
}
