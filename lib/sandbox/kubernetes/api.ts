import type { Pull } from "../aws/image-registry.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Cloud, Kubelets, KubernetesApi } from "../core/surroundings.ts";
import type { WireRequest, WireResponse } from "../core/wire.ts";
import { isWrite, keepNamespace, requireSigner, restrictNode, restrictSubject } from "./access/admission.ts";
import { authenticator } from "./access/authentication.ts";
import {
  type Authority,
  type Credentials,
  clientCredentials,
  clusterAuthority,
  servingCredentials,
} from "./access/authority.ts";
import type { InstallationFacts } from "./access/installation.ts";
import { type KubeletClients, kubeletClients } from "./access/kubelet-clients.ts";
import { nodeAuthorizer } from "./access/node-authorizer.ts";
import { rbacAuthorizer, ruleResolver } from "./access/rbac.ts";
import { seeds } from "./access/seeds.ts";
import { type Tokens, tokenIssuer } from "./access/tokens.ts";
import type { Authorizer } from "./access/users.ts";
import { controlPlane } from "./controllers/control-plane.ts";
import type { Cluster } from "./controllers/controller.ts";
import type { KubeObject } from "./model/object.ts";
import { known, typeOfKind } from "./model/resources.ts";
import { type AdmissionPolicies, admissionPolicies } from "./policies/policies.ts";
import { registry } from "./registry/registry.ts";
import { answerer } from "./request/answer.ts";
import { lister } from "./request/lists.ts";
import { type Objects, objectStore } from "./store/objects.ts";
import { apiSchemas, type Schemas } from "./validation/schemas.ts";
import type { Server } from "./verbs/server.ts";

/** Facts about the cluster's surroundings: its version, its region, its networks and its means to pull images. */
export interface ClusterOptions {
  /** "1.34.2": what /version says. */
  readonly version: string;
  /** For Node labels: "us-west-2". */
  readonly region: string;
  /** From which hybrid-overlay subnets are given to Windows nodes, "10.132.0.0/14". */
  readonly hybridNetwork: string;
  /** Reason why a Windows node cannot pull an image; left out, it can pull all. */
  readonly pull?: Pull;
  /** Names of the simulator's own controllers that do not run. */
  readonly without?: ReadonlySet<string>;
}

/** The simulated cluster: its API server and what runs beside it. */
export interface Kubernetes extends KubernetesApi {
  answer(request: WireRequest, tls?: { readonly clientCertificate: string }): Promise<WireResponse>;
  /** Bearer token for a service account ("system:serviceaccount:ns:name") or a person with groups. */
  readonly issueToken: Tokens["issue"];
  /** Client certificate of an administrator (group system:masters). */
  adminCredentials(): Promise<Credentials>;
  readonly authorityPem: string;
  /** PEM of what kubelets are to trust now as the authorities of their clients. */
  kubeletClients(): string;
  /** Tells the API server where the kubelets answer. */
  attach(kubelets: Kubelets): void;
  readonly serverCertificate: Credentials;
  /** Stores an object past authorisation and admission, with its status; returns the stored one. Throws like the API. */
  create(object: KubeObject): KubeObject;
  /** Stored objects of a type as the API shapes them: objects("nodes"), objects("deployments", "apps"). */
  objects(plural: string, group?: string): KubeObject[];
  /** Everything that a controller needs to run beside the simulator's own. */
  readonly cluster: Cluster;
  /** Arms again what a killed process had under way; called once by the composition, after everything is built. */
  resume(): void;
}

function serverOf(
  simulation: Simulation,
  objects: Objects,
  tokens: Tokens,
  authorize: Authorizer,
  schemas: Schemas,
  { callKubelet, judge }: Pick<Server, "callKubelet"> & Pick<AdmissionPolicies, "judge">,
): Server {
  return {
    simulation,
    objects,
    registry: registry(simulation, objects),
    list: lister(objects, simulation.clock),
    schemas,
    callKubelet,
    authorizers: { authorize, rules: ruleResolver(objects), tokens },
    ownerships: simulation.store.collection("kubernetes-appliers"),
    admit: (attempt) => {
      if (isWrite(attempt)) {
        restrictNode(attempt);
        restrictSubject(attempt);
        requireSigner(attempt, authorize);
      }
      keepNamespace(attempt);
      judge(attempt);
    },
  };
}

/** The API server's way to kubelets, which are built after it: until they are, none answers. */
function kubeletLink(asClient: KubeletClients): { call: Server["callKubelet"]; attach: Kubernetes["attach"] } {
  let known: Kubelets | undefined;
  return {
    call: (address) => known?.answer(address, asClient.certificate()),
    attach: (kubelets) => {
      known = kubelets;
    },
  };
}

const seeding =
  (server: Server) =>
  (object: KubeObject): KubeObject => {
    const type = typeOfKind(object.apiVersion, object.kind);
    if (!type) throw new Error(`The cluster knows no ${object.apiVersion} ${object.kind}`);
    return server.registry.create(type, object, { trusted: true });
  };

/** A cluster's first start: roles, namespaces, the bot's access. */
function seedOnce(
  { simulation, objects }: Server,
  create: (object: KubeObject) => KubeObject,
  facts: InstallationFacts,
): void {
  if (objects.list(known("namespaces")).length > 0) return;
  simulation.store.together(() => seeds(facts).forEach(create));
}

/**
 * Raises the simulated cluster on what its store remembers.
 * @param cloud EC2 as the cloud controller manager sees it
 */
export async function kubernetesApi(
  simulation: Simulation,
  cloud: Cloud,
  options: ClusterOptions,
): Promise<Kubernetes> {
  const authority: Authority = await clusterAuthority(simulation);
  const serverCertificate = await servingCredentials(simulation, authority);
  const asClient = await kubeletClients(simulation, authority);
  const objects = objectStore(simulation);
  const tokens = tokenIssuer(simulation, objects);
  const [byNode, byRole] = [nodeAuthorizer(objects), rbacAuthorizer(objects)];
  const authorize: Authorizer = (user, wanted) => byNode(user, wanted) || byRole(user, wanted);
  const link = kubeletLink(asClient);
  const policies = admissionPolicies(objects, simulation.clock);
  const ways = { callKubelet: link.call, judge: policies.judge };
  const server = serverOf(simulation, objects, tokens, authorize, await apiSchemas(), ways);
  const create = seeding(server);
  seedOnce(server, create, {
    hybridNetwork: options.hybridNetwork,
    clusterAuthority: authority.pem,
    kubeletClients: asClient.bundle(),
    signerUntil: asClient.until(),
  });
  const { cluster, resume } = controlPlane({ server, cloud, authority, kubeletClients: asClient, ...options });
  return {
    answer: answerer(server, authenticator(authority, tokens), options.version),
    issueToken: tokens.issue,
    adminCredentials: () => clientCredentials(authority, "sandbox-admin", ["system:masters"]),
    authorityPem: authority.pem,
    kubeletClients: asClient.bundle,
    attach: link.attach,
    serverCertificate,
    create,
    objects: (plural, group = "") => objects.list(known(plural, group)),
    cluster,
    resume: () => {
      policies.begin();
      resume();
    },
  };
}
