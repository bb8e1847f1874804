import { add } from "./add/capability.ts";
import { approvals } from "./approvals/capability.ts";
import { assist } from "./assist/capability.ts";
import { audit } from "./audit/capability.ts";
import { authority } from "./authority/capability.ts";
import { cordon } from "./cordon/capability.ts";
import { doctor } from "./doctor/capability.ts";
import { drain } from "./drain/capability.ts";
import { frontDoorCheck } from "./front-door-check/capability.ts";
import { guard } from "./guard/capability.ts";
import { help } from "./help/capability.ts";
import { look } from "./look/capability.ts";
import { mirrors } from "./mirrors/capability.ts";
import { operations } from "./operations/capability.ts";
import { people } from "./people/capability.ts";
import { probe } from "./probe/capability.ts";
import { proxy } from "./proxy/capability.ts";
import { reboot } from "./reboot/capability.ts";
import { rebootWatch } from "./reboot-watch/capability.ts";
import { reconcile } from "./reconcile/capability.ts";
import { registry, type WorkflowsOf } from "./registry.ts";
import { remove } from "./remove/capability.ts";
import { stops } from "./stops/capability.ts";
import { sweep } from "./sweep/capability.ts";

/** Every capability, in the order in which help shows their commands. */
export const capabilities = registry([
  help,
  look,
  add,
  cordon,
  assist,
  guard,
  drain,
  reboot,
  remove,
  stops,
  operations,
  audit,
  approvals,
  mirrors,
  proxy,
  doctor,
  reconcile,
  authority,
  probe,
  rebootWatch,
  sweep,
  people,
  frontDoorCheck,
]);

/** A durable function by its name. */
export type WorkflowName = WorkflowsOf<typeof capabilities>;
