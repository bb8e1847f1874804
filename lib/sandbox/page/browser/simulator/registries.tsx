import type { ShownNode, ShownRegistry } from "../../snapshot.ts";
import { Panel } from "./panel.tsx";

/** More nodes than these are counted. */
const MOST_NODES = 4;

function Row({ registry, nodes }: { registry: ShownRegistry; nodes: readonly ShownNode[] }) {
  const names = registry.instanceIds.map((id) => nodes.find(({ instanceId }) => instanceId === id)?.name ?? id);
  const shown = names.map((name) => name.split(".")[0]);
  return (
    <tr>
      <td>{registry.folder}</td>
      <td>
        <code>{registry.hash}</code>
      </td>
      <td title={names.join("\n")}>{shown.length > MOST_NODES ? `${shown.length} nodes` : shown.join(", ")}</td>
    </tr>
  );
}

/** The registries' files on the machines' disks, by folder and content. */
export function Registries(props: { registries: readonly ShownRegistry[]; nodes: readonly ShownNode[] }) {
  const { registries, nodes } = props;
  const count = new Set(registries.map(({ folder }) => folder)).size;
  return (
    <Panel
      title="Registry mirrors"
      count={count}
      empty="No machine has a hosts.toml: nodes pull from every registry directly."
    >
      {count > 0 && (
        <div class="wide">
          <table>
            <thead>
              <tr>
                <th>Registry</th>
                <th>hosts.toml</th>
                <th>Nodes</th>
              </tr>
            </thead>
            <tbody>
              {registries.map((registry) => (
                <Row key={`${registry.folder} ${registry.hash}`} registry={registry} nodes={nodes} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
