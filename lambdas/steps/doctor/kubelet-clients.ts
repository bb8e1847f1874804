import { type Authority, isLogSigner } from "../../cluster/authorities.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import type { MachineInputs } from "../../records/machine-record.ts";
import { kubeletAuthority } from "../cluster/kubelet-authority.ts";
import { provisioned } from "../cluster/managed-nodes.ts";
import { instanceIdOf } from "../cluster/node-facts.ts";
import { type Node, nodes } from "../cluster/nodes.ts";
import { machines } from "../machines/machines.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";

/**
 * Milliseconds before its end from which on a signer is reported. The cluster replaces its signers long before, so this
 * one was forgotten.
 */
const ENDS_SOON_MS = 30 * 24 * 3_600_000;

/** A node whose authorities are compared. */
interface Trusting {
  readonly name: string;
  readonly instanceId: string | null;
}

const trustingOf = (node: Node): Trusting => ({ name: node.metadata?.name ?? "", instanceId: instanceIdOf(node) });

/**
 * Compares the client authorities that nodes were given with those that the cluster publishes now.
 * @param given inputs of each machine, by instance id
 * @param now milliseconds since the epoch
 */
export function kubeletClientFindings(
  published: readonly Authority[],
  trusting: readonly Trusting[],
  given: ReadonlyMap<string, MachineInputs>,
  now: number,
): Finding[] {
  const trustedBy = ({ instanceId }: Trusting) => given.get(instanceId ?? "")?.kubeletClients?.authorities;
  const lacks = (authority: Authority): string[] =>
    trusting
      .filter((machine) => trustedBy(machine)?.every(({ fingerprint }) => fingerprint !== authority.fingerprint))
      .map(({ name }) => name);
  const missing = published
    .filter(({ notAfter }) => Date.parse(notAfter) > now)
    .map((authority) => ({ authority, without: lacks(authority) }))
    .filter(({ without }) => without.length > 0)
    .map(
      ({ authority, without }): Finding => ({
        kind: "authority-missing",
        nodes: without,
        authority: authority.subject,
        logs: isLogSigner(authority),
      }),
    );
  const unknown = trusting.filter((machine) => trustedBy(machine) === undefined).map(({ name }) => name);
  return [
    ...missing,
    ...(unknown.length > 0 ? [{ kind: "authority-unknown", nodes: unknown } as const] : []),
    ...endings(published, now),
  ];
}

/** Reports the newest signer for `kubectl logs` if it ends soon, because the cluster has not replaced it in time. */
function endings(published: readonly Authority[], now: number): Finding[] {
  const [newest] = published.filter(isLogSigner).toSorted((one, other) => other.notAfter.localeCompare(one.notAfter));
  if (!newest || Date.parse(newest.notAfter) - now > ENDS_SOON_MS) return [];
  return [{ kind: "authority-ends", authority: newest.subject, at: newest.notAfter }];
}

async function observe({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const { authorities, why } = await kubeletAuthority(context).read(configuration);
  const ours = provisioned(await nodes(context).all());
  const given = await machines(context).given.all();
  const found = kubeletClientFindings(authorities, ours.map(trustingOf), given, context.now());
  return why === null ? found : [{ kind: "authority-unpublished", why }, ...found];
}

/**
 * Compares the authorities by which kubelets recognise the API server: those given to each node, and those of the
 * cluster.
 */
export const kubeletClientsCheck: DoctorCheck = { area: "Nodes", what: "the authorities that kubelets trust", observe };
