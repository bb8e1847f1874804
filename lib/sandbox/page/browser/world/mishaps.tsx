import { useState } from "preact/hooks";
import type { ShownInstance } from "../../world.ts";
import { api, type MishapBook } from "../api.ts";
import { Panel } from "./panel.tsx";

type Kind = MishapBook["kinds"][number];

const wordsOf = (kind: string): string => kind.replaceAll("-", " ");

/** What to order: which of the world it strikes, and how often. */
function OrderForm({ kind, instances, done }: { kind: Kind; instances: readonly ShownInstance[]; done: () => void }) {
  const [fault, setFault] = useState<string | null>(null);
  const order = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget as HTMLFormElement)].map(([name, value]) => [
      name,
      String(value).trim(),
    ]);
    const { "": count = "", ...match } = Object.fromEntries(entries.filter(([, value]) => value !== ""));
    try {
      await api.order(kind.kind, match, count === "" ? undefined : Number(count));
      done();
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="order" onSubmit={order}>
      <p>{kind.sentence}</p>
      {Object.entries(kind.fields).map(([name, means]) => (
        <label key={name}>
          <span title={means}>{name}</span>
          <input name={name} placeholder={means} list={name === "instanceId" ? "instance-ids" : ""} />
        </label>
      ))}
      <label>
        <span title="How many times it strikes; empty: until it is ended">times</span>
        <input name="" type="number" min="1" placeholder="until ended" />
      </label>
      <datalist id="instance-ids">
        {instances.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {fault && <p class="fault">{fault}</p>}
      <p class="row">
        <button type="submit" class="kit danger">
          Let it happen
        </button>
        <button type="button" class="kit" onClick={done}>
          Never mind
        </button>
      </p>
    </form>
  );
}

function InForce({ book, again }: { book: MishapBook; again: () => void }) {
  const end = (id: string): Promise<void> => api.end(id).then(again, again);
  return (
    <ul class="in-force">
      {book.inForce.map(({ id, kind, match, count }) => (
        <li key={id}>
          <span class="state bad">{wordsOf(kind)}</span>{" "}
          <span class="dim">
            {Object.entries(match)
              .map(([field, value]) => `${field} = ${value}`)
              .join(", ") || "everywhere"}
            {count === undefined ? "" : ` · ${count} more`}
          </span>
          <button type="button" class="kit end" onClick={() => end(id)}>
            End
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What can go wrong, on order, and what is going wrong now. */
export function Mishaps(props: { book: MishapBook; instances: readonly ShownInstance[]; again: () => void }) {
  const { book, instances, again } = props;
  const [chosen, choose] = useState<string | null>(null);
  const kind = book.kinds.find((one) => one.kind === chosen);
  return (
    <Panel title="Mishaps" count={book.kinds.length} empty="Nothing can go wrong here yet.">
      {book.inForce.length > 0 && <InForce book={book} again={again} />}
      <div class="kinds">
        {book.kinds.map((one) => (
          <button
            type="button"
            key={one.kind}
            class="chip"
            title={one.sentence}
            aria-pressed={one.kind === chosen}
            onClick={() => choose(one.kind === chosen ? null : one.kind)}
          >
            {wordsOf(one.kind)}
          </button>
        ))}
      </div>
      {kind && (
        <OrderForm
          key={kind.kind}
          kind={kind}
          instances={instances}
          done={() => {
            choose(null);
            again();
          }}
        />
      )}
    </Panel>
  );
}
