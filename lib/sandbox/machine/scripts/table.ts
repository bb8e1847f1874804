import type { Script } from "../machine.ts";
import { apply } from "./apply.ts";
import { guard } from "./guard.ts";
import { network } from "./network.ts";
import { observe } from "./observe.ts";
import { reboot } from "./reboot.ts";
import { registries } from "./registries.ts";
import { route } from "./route.ts";
import { takeRouteAway } from "./take-route-away.ts";

/** The scripts that the simulated machine understands, by the name in their first line. */
export const scripts: Readonly<Record<string, Script>> = {
  apply,
  guard,
  network,
  observe,
  reboot,
  registries,
  route,
  "take-route-away": takeRouteAway,
};
