import { syncWebcrypto } from "../../core/sync-webcrypto.ts";
import { type CsrTemplate, csrTemplateOf } from "../access/certificate-requests.ts";
import { timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { conditionOf, isTrue, type SigningRequest } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";

const requests = known("certificatesigningrequests", "certificates.k8s.io");

/** Milliseconds from approval to the signed certificate (assumed; the controller acts on the watch). */
const SIGNING = 1_000;

/** Lifetime of signed certificates: OpenShift runs kube-controller-manager with cluster-signing-duration=720h. */
const DURATION = 720 * 3_600;

/**
 * Milliseconds for which requests are kept, kube-controller-manager's csrcleaner: decided ones an hour, undecided ones
 * a day.
 */
const KEPT = { decided: 3_600_000, pending: 24 * 3_600_000 };

const fault = (is: boolean, why: string): string | undefined => (is ? why : undefined);

const exactly = (usages: readonly string[], wanted: string): boolean => {
  const allowed = ["digital signature", "key encipherment", wanted];
  return (
    usages.includes("digital signature") && usages.includes(wanted) && usages.every((one) => allowed.includes(one))
  );
};

type Rule = (template: CsrTemplate, usages: readonly string[]) => string | undefined;

const notOfNodes: Rule = ({ organizations }) =>
  fault(organizations.length !== 1 || organizations[0] !== "system:nodes", "subject organization is not system:nodes");

const notOfANode: Rule = ({ commonName }) =>
  fault(!commonName.startsWith("system:node:"), "subject common name does not begin with system:node:");

/** Words for each kind of name in a certificate, for the refusal of a name. */
const nameKinds: Readonly<Record<string, string>> = { dns: "DNS", email: "Email", ip: "IP", url: "URI" };

const without =
  (...types: readonly string[]): Rule =>
  ({ names }) => {
    const found = types.find((one) => names.some(({ type }) => type === one));
    return found && `${nameKinds[found]} subjectAltNames are not allowed`;
  };

/**
 * Rules by which each signer refuses a request (k8s pkg/apis/certificates/helpers.go,
 * pkg/controller/certificates/signer).
 */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  "kubernetes.io/kube-apiserver-client-kubelet": [
    notOfNodes,
    without("dns", "email", "ip", "url"),
    notOfANode,
    (_wish, usages) =>
      fault(!exactly(usages, "client auth"), "usages did not match [key encipherment digital signature client auth]"),
  ],
  "kubernetes.io/kubelet-serving": [
    notOfNodes,
    (template) =>
      fault(
        !template.names.some(({ type }) => type === "dns" || type === "ip"),
        "DNS or IP subjectAltName is required",
      ),
    without("email", "url"),
    notOfANode,
    (_wish, usages) =>
      fault(!exactly(usages, "server auth"), "usages did not match [key encipherment digital signature server auth]"),
  ],
  "kubernetes.io/kube-apiserver-client": [
    (_wish, usages) =>
      fault(!exactly(usages, "client auth"), "usages did not match [key encipherment digital signature client auth]"),
  ],
};

function refusalOf(request: SigningRequest, template: CsrTemplate | undefined): string | undefined {
  if (!template) return "unable to parse csr";
  for (const rule of rules[request.spec.signerName] ?? []) {
    const why = rule(template, request.spec.usages ?? []);
    if (why) return why;
  }
  return undefined;
}

/**
 * Finds the time at which the request was decided. Clients date decisions by their own clock (kubectl:
 * `lastUpdateTime`), which may be hours behind the sandbox's. So the server's transition time is used, and no decision
 * is older than its request.
 */
function lastDecision({ status, metadata }: SigningRequest): number | undefined {
  const decision = conditionOf(status?.conditions, "Approved") ?? conditionOf(status?.conditions, "Denied");
  const dated = decision?.lastTransitionTime ?? decision?.lastUpdateTime ?? metadata.creationTimestamp;
  return decision && Math.max(Date.parse(dated), Date.parse(metadata.creationTimestamp));
}

/** Computes the time at which a request is deleted. */
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

/**
 * Signs certificates. Signing outlasts one reconcile; its result is a change of the request.
 * @returns a function that signs an approved request, or marks it as refused
 */
function signing({ simulation, objects, authority }: Cluster): (request: SigningRequest) => void {
  const underWay = new Set<string>();

  const fail = (request: SigningRequest, message: string): void => {
    const now = timestamp(simulation.clock.now());
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

  const issue = async (request: SigningRequest, template: CsrTemplate): Promise<void> => {
    if (!(await template.parsed.verify(syncWebcrypto))) return fail(request, "unable to verify csr signature");
    const usage = request.spec.signerName === "kubernetes.io/kubelet-serving" ? "server auth" : "client auth";
    const pem = await authority.sign({
      subject: template.parsed.subject,
      publicKey: new Uint8Array(template.parsed.publicKey.rawData),
      seconds: Math.min(request.spec.expirationSeconds ?? DURATION, DURATION),
      usages: [usage],
      names: template.names as never,
    });
    const current = objects.get<SigningRequest>(requests, undefined, request.metadata.name);
    if (!current || !isWaiting(current)) return undefined;
    const certificate = Buffer.from(pem).toString("base64");
    objects.replace(requests, { ...current, status: { ...current.status, certificate } });
    return undefined;
  };

  return (request) => {
    const { uid } = request.metadata;
    if (underWay.has(uid)) return;
    const template = csrTemplateOf(request);
    const why = refusalOf(request, template);
    if (why || !template) {
      fail(request, why ?? "unable to parse csr");
      return;
    }
    underWay.add(uid);
    const signed = issue(request, template)
      .catch((error: Error) => fail(request, error.message))
      .finally(() => underWay.delete(uid));
    void simulation.busy(signed);
  };
}

/**
 * Signs approved requests for the three signers of client and kubelet certificates, marks those it must refuse, deletes
 * old ones.
 */
export function certificateSigner(cluster: Cluster): Controller {
  const { simulation, objects } = cluster;
  const decide = signing(cluster);

  const sign = (request: SigningRequest): number | undefined => {
    const due = (lastDecision(request) ?? 0) + SIGNING;
    if (simulation.clock.now() < due) return due;
    decide(request);
    return undefined;
  };

  const forget = (request: SigningRequest): number | undefined => {
    if (simulation.clock.now() < expiryOf(request)) return expiryOf(request);
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
