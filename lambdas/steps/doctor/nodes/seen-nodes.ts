import { rebootDue } from "../../../machine/reboot-due.ts";
import type { Finding } from "../../../messages/doctor/finding.ts";
import { instanceIdOf, isWindows } from "../../cluster/node-facts.ts";
import { nodes } from "../../cluster/nodes.ts";
import { machines } from "../../machines/machines.ts";
import type { DoctorCheck, DoctorFacts } from "../check.ts";

/** Reports what the last scheduled look found on the nodes' machines. */
async function observe({ context }: DoctorFacts): Promise<Finding[]> {
  const [all, seen] = await Promise.all([nodes(context).all(), machines(context).seen.all()]);
  const chronic = all.filter(isWindows).flatMap((node) => {
    const { name = "", uid = "" } = node.metadata ?? {};
    const due = rebootDue(seen.get(instanceIdOf(node) ?? ""), uid, context.now());
    return due.state === "due" && due.chronic ? [{ node: name, chronic: due.chronic }] : [];
  });
  const [first] = chronic;
  if (!first) return [];
  return [{ kind: "reboots-without-effect", nodes: chronic.map(({ node }) => node), first: first.chronic }];
}

export const seenNodes: DoctorCheck = { area: "Nodes", what: "what the last look found on machines", observe };
