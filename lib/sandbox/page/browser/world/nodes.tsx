import type { ShownNode } from "../../world.ts";
import { ageOf } from "./age.ts";
import { Panel, State } from "./panel.tsx";

/** The cluster's nodes, in kubectl's columns. */
export const Nodes = ({ nodes, now }: { nodes: readonly ShownNode[]; now: string }) => (
  <Panel title="Nodes" count={nodes.length} empty="The cluster has no nodes.">
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Status</th>
            <th>Age</th>
            <th>Version</th>
            <th>Taints</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.name} class={node.windows ? "" : "other"}>
              <td title={node.name}>
                {node.name.split(".")[0]} <small>{node.windows ? "windows" : "linux"}</small>
              </td>
              <td>
                <State state={node.status} />
              </td>
              <td>{ageOf(node.created, now)}</td>
              <td>{node.version}</td>
              <td class="dim" title={node.taints.join("\n")}>
                {node.taints.length > 0 ? node.taints.map((taint) => taint.split("/").at(-1)).join(", ") : "–"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Panel>
);
