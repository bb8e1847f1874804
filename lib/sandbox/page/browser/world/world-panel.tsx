import type { Seat } from "../../vocabulary.ts";
import type { World } from "../../world.ts";
import type { FaultList } from "../api.ts";
import { ClockBar } from "./clock-bar.tsx";
import { Faults } from "./faults.tsx";
import { Instances } from "./instances.tsx";
import { Nodes } from "./nodes.tsx";
import { Operations } from "./operations.tsx";

interface WorldPanelProps {
  readonly cluster: string;
  readonly world: World | undefined;
  readonly faults: FaultList;
  readonly people: readonly Seat[];
  /** Looks at the world at once. */
  readonly again: () => void;
}

/** The live half of the page: what the world really is, and the hands on it. */
export function WorldPanel({ cluster, world, faults, people, again }: WorldPanelProps) {
  return (
    <section class="world" aria-label="The world">
      <header>
        <h1>
          Casement sandbox <small>{cluster}</small>
        </h1>
        {world && <ClockBar now={world.now} speed={world.speed} again={again} />}
      </header>
      {world ? (
        <div class="panels">
          <Operations operations={world.operations} people={people} />
          <Instances instances={world.instances} nodes={world.nodes} />
          <Nodes nodes={world.nodes} now={world.now} />
          <Faults faults={faults} instances={world.instances} again={again} />
        </div>
      ) : (
        <p class="empty">Looking at the world…</p>
      )}
    </section>
  );
}
