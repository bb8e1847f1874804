import { z } from "zod";
import { clients } from "../clients/clients.ts";
import type { Transport } from "../clients/transport.ts";
import { type Settings, settings } from "../settings.ts";
import { executionName, executions } from "../steps/executions.ts";
import { ledger } from "../steps/ledger.ts";
import { isUnderWay } from "../steps/machine.ts";
import { people } from "../steps/people.ts";
import { runtime } from "../steps/runtime.ts";
import type { World } from "../steps/world.ts";

/** SSM's event for one machine's command; the event for the whole command says nothing about machines. */
const commandEvent = z.object({
  "detail-type": z.literal("EC2 Command Invocation Status-change Notification"),
  detail: z.object({ "command-id": z.string(), status: z.string() }),
});

/** A tick of one of our schedules: the rule's name ends in what it is for. */
const tickEvent = z.object({
  "detail-type": z.literal("Scheduled Event"),
  id: z.string(),
  resources: z.tuple([z.string()]),
});

/** What a tick of a schedule brings about; the answer is for the log. */
type Schedule = (tick: string) => Promise<string>;

/** Where this door stands. */
export interface CloudEventsHost {
  readonly settings: Settings;
  readonly now: () => number;
  readonly transport?: Transport;
}

const worldOf = ({ settings, now, transport }: CloudEventsHost): World => ({
  clients: clients(settings, transport),
  settings,
  now,
});

/** Our schedules, by the end of their rule's name. */
function schedulesOf(world: World): Readonly<Record<string, Schedule>> {
  const { start } = executions(world);
  return {
    sweep: async (tick) => {
      await start("sweep", executionName("sweep", tick), { tick });
      return "sweep started";
    },
    credential: async (tick) => {
      await start("look", executionName("credential", tick), { watch: "credential" });
      return "the credential is looked at";
    },
    // The front door has no time to ask Slack who is who.
    people: async () => {
      const { configuration } = await runtime(world).read(null);
      const { groups, standings } = await people(world).synchronise(configuration);
      return `${Object.keys(groups).length} groups and ${Object.keys(standings).length} people are known`;
    },
  };
}

/** Wakes the workflow that waits for a command, if the command has finished and somebody waits. */
async function wakeForCommand(world: World, { detail }: z.infer<typeof commandEvent>): Promise<string> {
  const { "command-id": commandId, status } = detail;
  if (isUnderWay(status)) return `ignored: ${commandId} goes on`;
  const callback = await ledger(world).commandCallback(commandId);
  if (!callback) return `ignored: nobody waits for ${commandId}`;
  return `${commandId}: ${await executions(world).complete(callback, { status })}`;
}

/**
 * The second door: an event of AWS's wakes the workflow that waits for it. Events are best effort, late, doubled and
 * out of order: they only say "look now", and whoever is woken looks for itself.
 * @returns what was done, for the log
 */
export const hostedCloudEvents = (host: CloudEventsHost): ((event: unknown) => Promise<string>) => {
  const world = worldOf(host);
  const schedules = Object.entries(schedulesOf(world));
  return async (event) => {
    const tick = tickEvent.safeParse(event).data;
    if (tick) {
      const [rule] = tick.resources;
      const schedule = schedules.find(([ending]) => rule.endsWith(ending))?.[1];
      return schedule ? schedule(tick.id) : `ignored: nobody knows the schedule ${rule}`;
    }
    const command = commandEvent.safeParse(event).data;
    return command ? wakeForCommand(world, command) : "ignored: nothing waits for this kind of event";
  };
};

let door: ReturnType<typeof hostedCloudEvents> | undefined;

/** The Lambda entry, target of EventBridge rules. */
export const handler = (event: unknown): Promise<string> => {
  door ??= hostedCloudEvents({ settings: settings(), now: Date.now });
  return door(event);
};
