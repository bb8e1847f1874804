import type { ShownInstance, ShownNode } from "../../snapshot.ts";
import { Fold, Panel, State } from "./panel.tsx";

function Table({ instances, nodes }: { instances: readonly ShownInstance[]; nodes: readonly ShownNode[] }) {
  const nodeOf = (id: string): string => nodes.find((node) => node.instanceId === id)?.name ?? "–";
  return (
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
              <td class="cut">{instance.pool}</td>
              <td title={nodeOf(instance.id)}>{nodeOf(instance.id).split(".")[0]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The EC2 instances: their state, and what SSM hears of their agents. */
export function Instances({ instances, nodes }: { instances: readonly ShownInstance[]; nodes: readonly ShownNode[] }) {
  const windows = instances.filter((instance) => instance.windows);
  const linux = instances.filter((instance) => !instance.windows);
  return (
    <Panel title="Instances" count={windows.length} empty="No Windows instances yet: an add launches some.">
      {windows.length > 0 && <Table instances={windows} nodes={nodes} />}
      <Fold count={linux.length} what="with Linux">
        <Table instances={linux} nodes={nodes} />
      </Fold>
    </Panel>
  );
}
