import type { Seat } from "../../vocabulary.ts";
import type { ShownOperation } from "../../world.ts";
import { Panel, State } from "./panel.tsx";
import { stageWords } from "./stage-words.ts";

const tones = { running: "busy", waiting: "busy", succeeded: "good", failed: "bad", cancelled: "over" } as const;

const toneOf = (status: string) => tones[status as keyof typeof tones] ?? "over";

/** What the bot is doing and has done, as its ledger says. */
export function Operations({ operations, people }: { operations: readonly ShownOperation[]; people: readonly Seat[] }) {
  const nameOf = (id: string): string => people.find((person) => person.id === id)?.name ?? id;
  return (
    <Panel title="Operations" count={operations.length} empty="Nothing has been asked for yet.">
      <ul class="operations">
        {operations.map((operation) => (
          <li key={operation.id} class="operation">
            <p>
              <State state={operation.status} tone={toneOf(operation.status)} /> <b>{operation.command}</b>{" "}
              <code>{operation.id}</code> <span class="dim">by {nameOf(operation.user)}</span>
            </p>
            {operation.nodes.length > 0 && (
              <ol>
                {operation.nodes.map((node) => (
                  <li key={node.name}>
                    {node.name} <span class="stage">{stageWords(node.stage)}</span>
                  </li>
                ))}
              </ol>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
