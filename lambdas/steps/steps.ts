import { claims } from "./claims.ts";
import { cluster } from "./cluster.ts";
import { credential } from "./credential.ts";
import { csrs } from "./csrs.ts";
import { doctor } from "./doctor/doctor.ts";
import { evictions } from "./evictions.ts";
import { executions } from "./executions.ts";
import { given } from "./given.ts";
import { instances } from "./instances.ts";
import { joinSecret } from "./join-secret.ts";
import { kubeletAuthority } from "./kubelet-authority.ts";
import { leases } from "./leases.ts";
import { ledger } from "./ledger.ts";
import { machine } from "./machine.ts";
import { metrics } from "./metrics.ts";
import { nodes } from "./nodes.ts";
import { notices } from "./notices.ts";
import { people } from "./people.ts";
import { places } from "./places.ts";
import { runtime } from "./runtime.ts";
import { thread } from "./thread.ts";
import { timestamp, type World } from "./world.ts";

/**
 * Every verb a workflow may use, by noun.
 * @param world clients, settings and time
 */
export const steps = (world: World) => ({
  now: world.now,
  timestamp: (): string => timestamp(world),
  claims: claims(world),
  cluster: cluster(world),
  credential: credential(world),
  csrs: csrs(world),
  doctor: doctor(world),
  evictions: evictions(world),
  executions: executions(world),
  given: given(world),
  instances: instances(world),
  joinSecret: joinSecret(world),
  kubeletAuthority: kubeletAuthority(world),
  leases: leases(world),
  ledger: ledger(world),
  machine: machine(world),
  metrics: metrics(world),
  nodes: nodes(world),
  notices: notices(world),
  people: people(world),
  places: places(world),
  runtime: runtime(world),
  thread: thread(world),
});

/** The verbs as workflows see them. */
export type Steps = ReturnType<typeof steps>;
