import { longRound } from "../../../health/probe-turns.ts";
import type { Finding } from "../../../messages/doctor/finding.ts";
import { isWindows, windowsReleaseOf } from "../../cluster/node-facts.ts";
import { nodes } from "../../cluster/nodes.ts";
import type { DoctorCheck, DoctorFacts } from "../check.ts";

/** Reports how seldom a node is probed in a large fleet. Nodes whose pools switch probes off are among its nodes. */
async function observe({ context, configuration: { probe } }: DoctorFacts): Promise<Finding[]> {
  const { images } = probe;
  if (!images.linux) return [];
  const probed = (await nodes(context).all()).filter((node) => {
    const release = isWindows(node) ? windowsReleaseOf(node, undefined) : undefined;
    return release !== undefined && images[release] !== undefined;
  });
  const round = longRound(probed.length);
  return round ? [{ kind: "probes-seldom", ...round }] : [];
}

export const probeRound: DoctorCheck = { area: "Nodes", what: "how often nodes are probed", observe };
