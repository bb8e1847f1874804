import type { ShownNode } from "../../snapshot.ts";
import { ageOf } from "./age.ts";
import { Fold, Panel, State } from "./panel.tsx";

const Table = ({ nodes, now }: { nodes: readonly ShownNode[]; now: string }) => (
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
          <tr key={node.name}>
            <td title={node.name}>{node.name.split(".")[0]}</td>
            <td>
              <State state={node.status} />
            </td>
            <td>{ageOf(node.created, now)}</td>
            <td>{node.version}</td>
            <td class="cut dim" title={node.taints.join("\n")}>
              {node.taints.length > 0 ? node.taints.map((taint) => taint.split("/").at(-1)).join(", ") : "–"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** The cluster's nodes, in kubectl's columns. */
export function Nodes({ nodes, now }: { nodes: readonly ShownNode[]; now: string }) {
  const windows = nodes.filter((node) => node.windows);
  const linux = nodes.filter((node) => !node.windows);
  return (
    <Panel title="Nodes" count={windows.length} empty="The cluster has no Windows nodes.">
      {windows.length > 0 && <Table nodes={windows} now={now} />}
      <Fold count={linux.length} what="with Linux">
        <Table nodes={linux} now={now} />
      </Fold>
    </Panel>
  );
}
