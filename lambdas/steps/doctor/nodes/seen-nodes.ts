import { isSeenLately, rebootDue } from "../../../machine/reboot-due.ts";
import type { SeenMachine } from "../../../machine/seen-machine.ts";
import { troubleName } from "../../../machine/seen-troubles.ts";
import type { Finding } from "../../../messages/doctor/finding.ts";
import { instanceIdOf, isWindows } from "../../cluster/node-facts.ts";
import { type Node, nodes } from "../../cluster/nodes.ts";
import { machines } from "../../machines/machines.ts";
import type { DoctorCheck, DoctorFacts } from "../check.ts";

/** Reports what the last scheduled observation found on the nodes' machines. */
async function observe({ context }: DoctorFacts): Promise<Finding[]> {
  const [all, seen] = await Promise.all([nodes(context).all(), machines(context).seen.all()]);
  const chronic = all.filter(isWindows).flatMap((node) => {
    const { name = "", uid = "" } = node.metadata ?? {};
    const due = rebootDue(seen.get(instanceIdOf(node) ?? ""), uid, context.now());
    return due.state === "due" && due.chronic ? [{ node: name, chronic: due.chronic }] : [];
  });
  const [first] = chronic;
  const useless: Finding[] = first
    ? [{ kind: "reboots-without-effect", nodes: chronic.map(({ node }) => node), first: first.chronic }]
    : [];
  return [...useless, ...troubleFindings(all, seen, context.now())];
}

/** Reports the troubles that the last observation found, each with all of its nodes. */
function troubleFindings(all: readonly Node[], seen: ReadonlyMap<string, SeenMachine>, now: number): Finding[] {
  const found = all.filter(isWindows).flatMap((node) => {
    const { name = "", uid = "" } = node.metadata ?? {};
    const known = seen.get(instanceIdOf(node) ?? "");
    if (known?.uid !== uid || !isSeenLately(known, now)) return [];
    return (known.troubles ?? []).filter(({ endedBy }) => endedBy === undefined).map((trouble) => ({ name, trouble }));
  });
  return [...Map.groupBy(found, ({ trouble }) => troubleName(trouble)).values()].flatMap((same): Finding[] => {
    const [one] = same;
    return one ? [{ kind: "machine-trouble", trouble: one.trouble, nodes: same.map(({ name }) => name) }] : [];
  });
}

export const seenNodes: DoctorCheck = { area: "Nodes", what: "what the last look found on machines", observe };
