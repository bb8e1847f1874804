import { registriesSecret } from "../../cluster/registries-secret.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import type { ObjectReference } from "../../inputs/input.ts";
import { failedRenewals } from "../../inputs/mirrors/failed-renewals.ts";
import { mirrorsFrom, mirrorsInput } from "../../inputs/mirrors/input.ts";
import type { Mirrors } from "../../inputs/mirrors/mirrors.ts";
import { untriedRuntime } from "../../inputs/mirrors/tried-containerds.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { isAbsent } from "../client-errors.ts";
import { inputObjects } from "../cluster/input-objects.ts";
import { secretFacts } from "../secret-facts.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";
import { type GivenNode, namesOf } from "./given-nodes.ts";
import { type InputExamination, inputCheck, type RecordsReader } from "./input-facts.ts";

/** Findings about what the cluster says of registries and Windows nodes do not do in the same way. */
export function mirrorFindings({ files, inexpressible, unused, unusedCredentials, unenforced }: Mirrors): Finding[] {
  const unencrypted = files.filter(({ isUnencrypted }) => isUnencrypted).map(({ registry }) => registry);
  const unheld = (["blocked", "allowed"] as const).filter((list) => unenforced[list].length > 0);
  return [
    ...(inexpressible.length + unused.length > 0
      ? [{ kind: "mirrors-inexpressible", faults: inexpressible, unused } as const]
      : []),
    ...unheld.map((list): Finding => ({ kind: "registries-not-enforced", list, registries: unenforced[list] })),
    ...(unusedCredentials.length > 0
      ? [{ kind: "registry-credentials-unused", hosts: unusedCredentials } as const]
      : []),
    ...(unencrypted.length > 0 ? [{ kind: "registries-unencrypted", registries: unencrypted } as const] : []),
  ];
}

/** Findings about nodes with a containerd that was never measured, one for each version. */
export const untriedFindings = (mirrored: readonly GivenNode[]): Finding[] =>
  [...Map.groupBy(mirrored, ({ runtime }) => untriedRuntime(runtime))].flatMap(([version, some]) =>
    version === null ? [] : [{ kind: "containerd-untried", version, nodes: namesOf(some) } as const],
  );

/** Finding about nodes that do not renew their passwords of ECR. */
export function renewalFindings({
  examined,
  given,
  seen,
  now,
}: Omit<InputExamination, "found" | "content">): Finding[] {
  const nodes = examined.map(({ name, instanceId }) => ({
    node: name,
    sent: given.get(instanceId ?? "")?.mirrors,
    seen: seen.get(instanceId ?? ""),
  }));
  const renewals = failedRenewals(nodes, now);
  return renewals.length > 0 ? [{ kind: "passwords-not-renewed", renewals, at: new Date(now).toISOString() }] : [];
}

/** The kinds of mirror sets, whatever the configuration applies. */
function kindsOf(configuration: Configuration): readonly ObjectReference[] {
  const cluster = { ...configuration.cluster, inputs: "openshift" as const };
  return (mirrorsInput.reads({ ...configuration, cluster }) ?? []).filter(({ name }) => name === undefined);
}

/**
 * Counts the mirror sets of a cluster whose configuration names no source of inputs, or the ConfigMap. A kind that the
 * cluster lacks has none.
 */
async function unapplied({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const read = async (kind: ObjectReference): Promise<number> => {
    try {
      return (await inputObjects(context).read([kind])).flat().length;
    } catch (error) {
      if (error instanceof Refused && isAbsent(error.cause)) return 0;
      throw error;
    }
  };
  const counts = await Promise.all(kindsOf(configuration).map(read));
  const sets = counts.reduce((sum, count) => sum + count, 0);
  const { inputs } = configuration.cluster;
  return sets > 0 && inputs !== "openshift" ? [{ kind: "mirrors-not-applied", sets, source: inputs }] : [];
}

async function own(examination: InputExamination, patient: DoctorFacts): Promise<readonly Finding[]> {
  const { configuration, found, content, examined } = examination;
  const secret = await secretFacts(patient.context).read(registriesSecret(configuration.cluster.name));
  const wanted = mirrorsFrom(found, configuration, secret);
  return [
    ...(configuration.cluster.inputs === "configmap" ? await unapplied(patient) : []),
    ...mirrorFindings(wanted),
    ...(content.asked?.length ? [{ kind: "mirrors-asked", parts: content.asked } as const] : []),
    ...renewalFindings(examination),
    ...(wanted.files.length > 0 ? untriedFindings(examined) : []),
  ];
}

/** Compares the cluster's mirror sets with what Windows nodes can do and were given. */
export const mirrorsCheck = (read: RecordsReader): DoctorCheck =>
  inputCheck(mirrorsInput, "the registry mirrors", read, { own, unapplied });
