import type { Snapshot } from "../../snapshot.ts";
import type { Seat } from "../../vocabulary.ts";
import type { FaultList } from "../api.ts";
import { ClockBar } from "./clock-bar.tsx";
import { Faults } from "./faults.tsx";
import { Instances } from "./instances.tsx";
import { Nodes } from "./nodes.tsx";
import { Operations } from "./operations.tsx";
import { Registries } from "./registries.tsx";

interface SimulatorPanelProps {
  readonly cluster: string;
  readonly snapshot: Snapshot | undefined;
  readonly faults: FaultList;
  readonly people: readonly Seat[];
  /** Polls at once. */
  readonly again: () => void;
}

/** The simulator's half of the page: its state, its clock and its faults. */
export function SimulatorPanel({ cluster, snapshot, faults, people, again }: SimulatorPanelProps) {
  return (
    <section class="simulator" aria-label="Simulator">
      <header>
        <h1>
          Casement sandbox <small>{cluster}</small>
        </h1>
        {snapshot && <ClockBar now={snapshot.now} speed={snapshot.speed} again={again} />}
      </header>
      {snapshot ? (
        <div class="panels">
          <Operations operations={snapshot.operations} people={people} />
          <Instances instances={snapshot.instances} nodes={snapshot.nodes} />
          <Nodes nodes={snapshot.nodes} now={snapshot.now} />
          <Registries registries={snapshot.registries} nodes={snapshot.nodes} />
          <Faults faults={faults} instances={snapshot.instances} again={again} />
        </div>
      ) : (
        <p class="empty">Loading…</p>
      )}
    </section>
  );
}
