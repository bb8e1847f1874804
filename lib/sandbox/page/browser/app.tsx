import { useState } from "preact/hooks";
import type { ShownNode, Snapshot } from "../snapshot.ts";
import type { Seat, Setting } from "../vocabulary.ts";
import { useSetting, useSlack, useSnapshot } from "./live.ts";
import { isUnderWay } from "./simulator/operations.tsx";
import { SimulatorPanel } from "./simulator/simulator-panel.tsx";
import { Channel } from "./slack/channel.tsx";
import type { Names } from "./slack/completion.ts";
import { Composer } from "./slack/composer.tsx";
import { Dialog } from "./slack/dialog.tsx";
import { Avatar } from "./slack/people.tsx";

/** Reads and sets the person in front of the page; the address remembers it, so that two windows can be two people. */
function useSeat(people: readonly Seat[]): [Seat | undefined, (seat: Seat) => void] {
  const [id, setId] = useState(location.hash.slice(1));
  const choose = (seat: Seat): void => {
    history.replaceState(null, "", `#${seat.id}`);
    setId(seat.id);
  };
  return [people.find((person) => person.id === id) ?? people[0], choose];
}

function Seats({ people, seat, choose }: { people: readonly Seat[]; seat: Seat; choose: (seat: Seat) => void }) {
  return (
    <fieldset class="seats">
      <legend class="unseen">You are</legend>
      {people.map((person) => (
        <button
          type="button"
          key={person.id}
          aria-pressed={person.id === seat.id}
          title={`Be ${person.name} (${person.roles.join(", ") || "no rights"})`}
          onClick={() => choose(person)}
        >
          <Avatar name={person.name} small />
          <span>
            <b>{person.name.split(" ")[0]}</b>
            <small>{person.roles[0] ?? "no rights"}</small>
          </span>
        </button>
      ))}
    </fieldset>
  );
}

/** Collects the names that the composer completes: Windows nodes with their pools, and operations that still run. */
function namesIn(snapshot: Snapshot | undefined): Names {
  const { nodes = [], instances = [], operations = [] } = snapshot ?? {};
  const poolOf = ({ instanceId }: ShownNode) => instances.find(({ id }) => id === instanceId)?.pool ?? "node";
  return {
    nodes: nodes
      .filter((node) => node.windows)
      .map((node) => ({ word: node.name, means: `${poolOf(node)}, ${node.status}` })),
    operations: operations
      .filter(isUnderWay)
      .map(({ id, title, status }) => ({ word: id, means: `${title}, ${status}` })),
  };
}

function Window({ setting, seat, choose }: { setting: Setting; seat: Seat; choose: (seat: Seat) => void }) {
  const [channelId, setChannelId] = useState(setting.channels[0]?.id ?? "");
  const ui = useSlack(seat.id);
  const { snapshot, faults, lost, again } = useSnapshot();
  const view = ui.views.at(-1);
  const messages = ui.messages.filter((message) => message.channel === channelId);
  return (
    <div class="window">
      {lost && (
        <p class="lost" role="alert">
          The sandbox does not answer. Is <code>npm start</code> still running? This page goes on by itself when it is
          back.
        </p>
      )}
      <section class="slack" aria-label="Slack">
        <header>
          <nav class="channels" aria-label="Channels">
            {setting.channels.map(({ id, name }) => (
              <button type="button" key={id} aria-pressed={id === channelId} onClick={() => setChannelId(id)}>
                # {name}
              </button>
            ))}
          </nav>
          <Seats people={setting.people} seat={seat} choose={choose} />
        </header>
        <Channel
          key={`${channelId} ${seat.id}`}
          messages={messages}
          channelId={channelId}
          setting={setting}
          seat={seat}
        />
        <Composer
          vocabulary={setting.vocabulary}
          names={namesIn(snapshot)}
          channelId={channelId}
          seat={seat}
          placeholder={`Message #${setting.channels.find(({ id }) => id === channelId)?.name} – try ${setting.vocabulary.commandWord} help`}
        />
      </section>
      <SimulatorPanel
        cluster={setting.cluster}
        snapshot={snapshot}
        faults={faults}
        again={again}
        people={setting.people}
      />
      {view && <Dialog key={view.id} view={view} seat={seat} setting={setting} />}
    </div>
  );
}

/** The whole page. */
export function App() {
  const setting = useSetting();
  const [seat, choose] = useSeat(setting?.people ?? []);
  if (!setting || !seat) return <p class="waiting">Waiting for the sandbox…</p>;
  return <Window setting={setting} seat={seat} choose={choose} />;
}
