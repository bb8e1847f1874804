import { type AssistanceFault, assistanceOf } from "../../../machine/assistance.ts";
import type { Finding } from "../../../messages/doctor/finding.ts";
import { TAG } from "../../../tags.ts";
import { claims } from "../../cluster/claims.ts";
import { instanceIdOf, isWindows } from "../../cluster/node-facts.ts";
import { nodes } from "../../cluster/nodes.ts";
import { ownerOf } from "../../cluster/ownership.ts";
import { instances, type Machine } from "../../ec2/instances.ts";
import { type Agent, machine } from "../../machine/machine.ts";
import { machines } from "../../machines/machines.ts";
import type { DoctorCheck, DoctorFacts } from "../check.ts";

type Unreached = "others-without-profile" | "others-without-agent" | "others-silent";

/** Reason why no command can reach the machine; null if the agent is online. */
function unreached({ hasProfile }: Machine, agent: Agent | undefined): Unreached | null {
  if (agent) return agent.online ? null : "others-silent";
  return hasProfile === true ? "others-without-agent" : "others-without-profile";
}

const isFault = (verdict: ReturnType<typeof assistanceOf>): verdict is AssistanceFault =>
  verdict !== "assisted" && verdict !== "none";

/** Examines the machines of the cluster's Windows nodes that belong to another owner. */
async function observe({ context, configuration: { cluster } }: DoctorFacts): Promise<Finding[]> {
  const registered = new Set((await nodes(context).all()).filter(isWindows).map(instanceIdOf));
  const claimed = await claims(context).all();
  const assisted = await machines(context).assistance.all();
  const agents = await machine(context).agents();
  const others = (await instances(context).ofCluster(cluster.id)).flatMap((one) => {
    const owner = ownerOf(one, claimed);
    const isMeant = registered.has(one.instanceId) && one.state === "running" && !(TAG.launched in one.tags);
    return owner && isMeant ? [{ one, owner }] : [];
  });
  const kinds: readonly Unreached[] = ["others-without-profile", "others-without-agent", "others-silent"];
  const silent = kinds.flatMap((kind): Finding[] => {
    const machines = others
      .filter(({ one }) => unreached(one, agents.get(one.instanceId)) === kind)
      .map(({ one }) => one.instanceId);
    return machines.length > 0 ? [{ kind, machines }] : [];
  });
  const powerless = others.flatMap(({ one, owner }) => {
    const fault = assistanceOf(one, cluster.name, owner, assisted);
    return isFault(fault) ? [{ instanceId: one.instanceId, fault }] : [];
  });
  return [
    ...silent,
    ...(powerless.length > 0 ? [{ kind: "assistance-without-power", machines: powerless } as const] : []),
  ];
}

/** Finds machines of other owners that could not be assisted, and tags or approvals without effect. */
export const otherMachines: DoctorCheck = { area: "Nodes", what: "the machines of other owners", observe };
