import type { ShownInstance, ShownNode } from "../../world.ts";
import { Panel, State } from "./panel.tsx";

/** The EC2 instances: their state, and what SSM hears of their agents. */
export function Instances({ instances, nodes }: { instances: readonly ShownInstance[]; nodes: readonly ShownNode[] }) {
  const nodeOf = (id: string): string => nodes.find((node) => node.instanceId === id)?.name ?? "–";
  return (
    <Panel title="Instances" count={instances.length} empty="No instances yet: an add launches some.">
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th>Instance</th>
              <th>EC2</th>
              <th>SSM</th>
              <th>Pool</th>
              <th>Node</th>
            </tr>
          </thead>
          <tbody>
            {instances.map((instance) => (
              <tr
                key={instance.id}
                class={instance.state === "terminated" ? "gone" : ""}
                title={`${instance.type}, ${instance.zone}, ${instance.address || "no address"}`}
              >
                <td>
                  <code>{instance.id}</code>
                </td>
                <td>
                  <State state={instance.state} />
                </td>
                <td>{instance.ping === "–" ? "–" : <State state={instance.ping} />}</td>
                <td>{instance.pool}</td>
                <td title={nodeOf(instance.id)}>{nodeOf(instance.id).split(".")[0]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
