import type { ShownOperation } from "../../snapshot.ts";
import type { Seat } from "../../vocabulary.ts";
import { Fold, Panel, State } from "./panel.tsx";
import { stageWords } from "./stage-words.ts";

const tones = {
  requested: "busy",
  running: "busy",
  waiting: "bad",
  scheduled: "busy",
  succeeded: "good",
  failed: "bad",
  cancelled: "over",
} as const;

const toneOf = (status: string) => tones[status as keyof typeof tones] ?? "over";

/** More than these are folded away; running operations are always shown. */
const LATEST = 3;

const goesOn: ReadonlySet<string> = new Set(["requested", "running", "waiting", "scheduled"]);

/** Can an operation still be cancelled? */
export const isUnderWay = ({ status }: ShownOperation): boolean => goesOn.has(status);

/** More nodes than these are counted by stage. */
const MOST_NODES = 6;

const oneByOne = ({ nodes }: ShownOperation) =>
  nodes.map((node) => (
    <li key={node.name} title={node.name}>
      {node.name.split(".")[0]} <span class="stage">{stageWords(node)}</span>
    </li>
  ));

const byStage = ({ nodes }: ShownOperation) =>
  [...Map.groupBy(nodes, stageWords)].map(([words, members]) => (
    <li key={words} title={members.map(({ name }) => name).join("\n")}>
      {members.length} {members.length === 1 ? "node" : "nodes"} <span class="stage">{words}</span>
    </li>
  ));

function Operation({ operation, by }: { operation: ShownOperation; by: string }) {
  return (
    <li class="operation">
      <p>
        <State state={operation.status} tone={toneOf(operation.status)} /> <b>{operation.title}</b>{" "}
        <code>{operation.id}</code> <span class="dim">by {by}</span>
      </p>
      <ol>{operation.nodes.length > MOST_NODES ? byStage(operation) : oneByOne(operation)}</ol>
    </li>
  );
}

/** Operations that the bot is running or has run, as its ledger says. */
export function Operations({ operations, people }: { operations: readonly ShownOperation[]; people: readonly Seat[] }) {
  const nameOf = (id: string): string => people.find((person) => person.id === id)?.name ?? id;
  const row = (operation: ShownOperation) => (
    <Operation key={operation.id} operation={operation} by={nameOf(operation.user)} />
  );
  const isOld = (operation: ShownOperation, place: number): boolean => place >= LATEST && !isUnderWay(operation);
  const old = operations.filter(isOld);
  return (
    <Panel title="Operations" count={operations.length} empty="No operations yet.">
      <ul class="operations">{operations.filter((operation) => !old.includes(operation)).map(row)}</ul>
      <Fold count={old.length} what="older">
        <ul class="operations">{old.map(row)}</ul>
      </Fold>
    </Panel>
  );
}
