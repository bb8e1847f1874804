import { timestamp } from "../kubernetes/model/object.ts";
import { known } from "../kubernetes/model/resources.ts";
import type { SigningRequest } from "../kubernetes/model/shapes.ts";
import { decisionOf } from "../kubernetes/subresources/signing-requests.ts";
import type { Services } from "./neighbour.ts";

const requests = known("certificatesigningrequests", "certificates.k8s.io");

/** Signers of kubelets' certificates; neighbours ignore requests for other signers. */
const KUBELETS: ReadonlySet<string> = new Set([
  "kubernetes.io/kube-apiserver-client-kubelet",
  "kubernetes.io/kubelet-serving",
]);

/** Decision on a request, as it is stored in the request's conditions. */
export interface Verdict {
  readonly type: "Approved" | "Denied";
  readonly reason: string;
  readonly message: string;
}

/** A neighbour that approves or denies certificate signing requests of kubelets. */
export interface DecidingNeighbour {
  /** Program that sends the decision, as the API server's managedFields name it. */
  readonly program: string;
  /** Time until the decision, in milliseconds. */
  readonly takes: number;
  /** Returns undefined to leave the request to others. */
  readonly judge: (request: SigningRequest) => Verdict | undefined;
}

const isOpen = ({ spec, status }: SigningRequest): boolean =>
  KUBELETS.has(spec.signerName) && !status?.certificate && (status?.conditions ?? []).length === 0;

function decided(
  request: SigningRequest,
  { program }: DecidingNeighbour,
  verdict: Verdict,
  now: string,
): SigningRequest {
  const condition = { ...verdict, status: "True" as const, lastUpdateTime: now, lastTransitionTime: now };
  const managedFields = [decisionOf(program, now)];
  return {
    ...request,
    metadata: { ...request.metadata, managedFields },
    status: { ...request.status, conditions: [condition] },
  };
}

/** Lets a neighbour decide about every open request, present and future. */
export function decideRequests({ kubernetes: { cluster } }: Services, neighbour: DecidingNeighbour): void {
  const { objects, simulation } = cluster;
  const decide = (name: string): void => {
    const request = objects.get<SigningRequest>(requests, undefined, name);
    const verdict = request && isOpen(request) ? neighbour.judge(request) : undefined;
    if (request && verdict)
      objects.replace(requests, decided(request, neighbour, verdict, timestamp(simulation.clock.now())));
  };
  const soon = ({ metadata }: { readonly metadata: { readonly name: string } }): void => {
    simulation.clock.after(neighbour.takes, () => decide(metadata.name));
  };
  objects.listen(({ kind, type, object }) => {
    if (kind === "ADDED" && type === requests) soon(object);
  });
  for (const request of objects.list<SigningRequest>(requests)) soon(request);
}
