import type { Program, ProgramContext } from "../machine.ts";
import { addLinkLocalRoutes, removeLinkLocalRoutes } from "../network.ts";

/**
 * EC2Launch's network task: deletes the six routes and adds them, not persistently, on the network card, whether or not
 * it still has an address (ovn-kubernetes issue 4587 shows the log of such a run).
 */
function addRoutes(context: ProgramContext): void {
  const { machine } = context;
  const card = machine.state.adapters.find((adapter) => adapter.physical);
  removeLinkLocalRoutes(machine);
  if (card) addLinkLocalRoutes(machine, card, machine.facts().gateway);
  context.log(`2010 Network - add_routes on interface ${card?.index ?? "none"}`);
}

/** EC2Launch v2: routes about three seconds after it started, other tasks, then it stops by itself (durations assumed). */
export const ec2Launch: Program = (context) => {
  const { machine, process } = context;
  const firstBoot = machine.state.credentialsUntil === null;
  const work = async (): Promise<void> => {
    await process.pause(machine.duration(2500, 3500));
    addRoutes(context);
    await process.pause(firstBoot ? machine.duration(20_000, 50_000) : machine.duration(8_000, 15_000));
    context.exit(0, "All tasks are done.");
  };
  void work();
  return undefined;
};
