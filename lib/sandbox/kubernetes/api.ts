import type { Cloud, Kubelets, KubernetesApi } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import type { WireRequest, WireResponse } from "../core/wire.ts";
import {
  type Distribution,
  isWrite,
  keepNamespace,
  requireSigner,
  restrictNode,
  restrictSubject,
} from "./access/admission.ts";
import { authenticator } from "./access/authentication.ts";
import {
  type Authority,
  type Credentials,
  clientCredentials,
  clusterAuthority,
  servingCredentials,
} from "./access/authority.ts";
import type { Installation, InstallationFacts } from "./access/installation.ts";
import { type KubeletClients, kubeletClients } from "./access/kubelet-clients.ts";
import { nodeAuthorizer } from "./access/node-authorizer.ts";
import { grantsOf, rbacAuthorizer } from "./access/rbac.ts";
import { limitUsers } from "./access/security-context-constraints.ts";
import { seeds } from "./access/seeds.ts";
import { type Tokens, tokenIssuer } from "./access/tokens.ts";
import { type Authorizer, inTurn } from "./access/users.ts";
import { controlPlane } from "./controllers/control-plane.ts";
import type { Cluster } from "./controllers/controller.ts";
import { createdBy } from "./kubectl/apply.ts";
import type { KubeObject } from "./model/object.ts";
import { known, typeOfKind } from "./model/resources.ts";
import { type AdmissionPolicies, admissionPolicies } from "./policies/policies.ts";
import { registry } from "./registry/registry.ts";
import { answerer } from "./request/answer.ts";
import { lister } from "./request/lists.ts";
import { type Objects, objectStore } from "./store/objects.ts";
import { apiSchemas, type Schemas } from "./validation/schemas.ts";
import type { Server } from "./verbs/server.ts";

/** Settings of the cluster: its version, its region and its network. */
export interface ClusterOptions {
  /** The version that /version returns: "1.34.2". */
  readonly version: string;
  /** By default plain Kubernetes. */
  readonly distribution?: Distribution;
  /** For Node labels: "us-west-2". */
  readonly region: string;
  /** The network of Windows nodes' hybrid-overlay subnets, "10.132.0.0/14". */
  readonly hybridNetwork: string;
  /** Choices of its installer; left out, the cluster does not publish them. */
  readonly installation?: Installation;
  /** Names of the simulator's controllers that are switched off. */
  readonly without?: ReadonlySet<string>;
  /** Images that the manifest of the bot's access names; by default none. */
  readonly probeImages?: readonly string[];
}

/** The simulated cluster: its API server and its controllers. */
export interface Kubernetes extends KubernetesApi {
  answer(request: WireRequest, tls?: { readonly clientCertificate: string }): Promise<WireResponse>;
  /** Bearer token for a service account ("system:serviceaccount:ns:name") or a person with groups. */
  readonly issueToken: Tokens["issue"];
  /** Client certificate of an administrator (group system:masters). */
  adminCredentials(): Promise<Credentials>;
  readonly authorityPem: string;
  /** PEM of the authorities that kubelets should trust now for their clients. */
  kubeletClients(): string;
  /** Tells the API server where the kubelets answer. */
  attach(kubelets: Kubelets): void;
  readonly serverCertificate: Credentials;
  /**
   * Stores an object with its status, without authorisation and admission; returns the stored one. Throws like the API.
   */
  create(object: KubeObject): KubeObject;
  /** Lists stored objects of a type as the API shapes them: objects("nodes"), objects("deployments", "apps"). */
  objects(plural: string, group?: string): KubeObject[];
  /** The controllers' view of the cluster, for controllers that run beside the simulator's. */
  readonly cluster: Cluster;
  /** Resumes the work of a killed process; called once by the composition, after everything is built. */
  resume(): void;
}

type ServerParts = Pick<Server, "callKubelet" | "version"> &
  Pick<AdmissionPolicies, "judge"> & { readonly distribution: Distribution };

function serverOf(
  simulation: Simulation,
  objects: Objects,
  tokens: Tokens,
  authorize: Authorizer,
  schemas: Schemas,
  { callKubelet, judge, distribution, version }: ServerParts,
): Server {
  const grants = grantsOf(objects);
  return {
    simulation,
    version,
    objects,
    registry: registry(simulation, objects, distribution),
    list: lister(objects, simulation.clock),
    schemas,
    callKubelet,
    authorizers: { authorize, rules: (user, space) => grants(user, space).flatMap(({ rules }) => rules), tokens },
    ownerships: simulation.store.collection("kubernetes-appliers"),
    admit: (attempt) => {
      if (isWrite(attempt)) {
        restrictNode(attempt, distribution);
        restrictSubject(attempt);
        requireSigner(attempt, authorize);
        limitUsers(attempt, objects);
      }
      keepNamespace(attempt);
      judge(attempt);
    },
  };
}

/** The API server's link to kubelets, which are built after it: until then, none answers. */
function kubeletLink(asClient: KubeletClients): {
  call: Server["callKubelet"];
  dataPlane: Cluster["dataPlane"];
  images: Cluster["images"];
  attach: Kubernetes["attach"];
} {
  let known: Kubelets | undefined;
  return {
    call: (address) => known?.answer(address, asClient.certificate()),
    dataPlane: (instanceId) => known?.dataPlane?.(instanceId),
    images: (instanceId) => known?.images?.(instanceId),
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

/** Seeds a cluster at its first start: roles, namespaces, the bot's access. An administrator has applied them with kubectl. */
function seedOnce(
  { simulation, objects, ownerships }: Server,
  create: (object: KubeObject) => KubeObject,
  facts: InstallationFacts,
): void {
  if (objects.list(known("namespaces")).length > 0) return;
  simulation.store.together(() => {
    for (const object of seeds(facts)) ownerships.set(create(object).metadata.uid, createdBy("kubectl", object));
  });
}

/**
 * Builds the simulated cluster from the store.
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
  const authorize = inTurn(nodeAuthorizer(objects), rbacAuthorizer(objects));
  const link = kubeletLink(asClient);
  const policies = admissionPolicies(objects, simulation.clock);
  const { distribution = "kubernetes", version } = options;
  const parts = { callKubelet: link.call, judge: policies.judge, distribution, version };
  const server = serverOf(simulation, objects, tokens, authorize, await apiSchemas(), parts);
  const create = seeding(server);
  seedOnce(server, create, {
    hybridNetwork: options.hybridNetwork,
    installation: options.installation,
    clusterAuthority: authority.pem,
    kubeletClients: asClient.bundle(),
    signerUntil: asClient.until(),
    probeImages: options.probeImages ?? [],
  });
  const { cluster, resume } = controlPlane({
    server,
    cloud,
    authority,
    kubeletClients: asClient,
    dataPlane: link.dataPlane,
    images: link.images,
    ...options,
    distribution,
  });
  return {
    answer: answerer(server, authenticator(authority, tokens), options.version, tokens),
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
