import type { Foundation } from "../core/foundation.ts";
import type { Cloud, KubernetesApi } from "../core/surroundings.ts";
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
import { nodeAuthorizer } from "./access/node-authorizer.ts";
import { rbacAuthorizer, ruleResolver } from "./access/rbac.ts";
import { seeds } from "./access/seeds.ts";
import { type Tokens, tokenIssuer } from "./access/tokens.ts";
import type { Authorizer } from "./access/users.ts";
import { controlPlane } from "./controllers/control-plane.ts";
import type { KubeObject } from "./model/object.ts";
import { known, typeOfKind } from "./model/resources.ts";
import { admissionPolicies } from "./policies/policies.ts";
import { registry } from "./registry/registry.ts";
import { answerer } from "./request/answer.ts";
import { lister } from "./request/lists.ts";
import { type Objects, objectStore } from "./store/objects.ts";
import { apiSchemas, type Schemas } from "./validation/schemas.ts";
import type { Server } from "./verbs/server.ts";

/** What the cluster is told of its surroundings. */
export interface ClusterOptions {
  /** "1.34.2": what /version says. */
  readonly version: string;
  /** For Node labels: "us-west-2". */
  readonly region: string;
  /** From which hybrid-overlay subnets are given to Windows nodes, "10.132.0.0/14". */
  readonly hybridNetwork: string;
}

/** The simulated cluster: its API server and what runs beside it. */
export interface Kubernetes extends KubernetesApi {
  answer(request: WireRequest, tls?: { readonly clientCertificate: string }): Promise<WireResponse>;
  /** Bearer token for a service account ("system:serviceaccount:ns:name") or a person with groups. */
  readonly issueToken: Tokens["issue"];
  /** Client certificate of an administrator (group system:masters). */
  adminCredentials(): Promise<Credentials>;
  readonly authorityPem: string;
  readonly serverCertificate: Credentials;
  /** Stores an object past authorisation and admission, with its status; returns the stored one. Throws like the API. */
  create(object: KubeObject): KubeObject;
  /** Stored objects of a type as the API shapes them: objects("nodes"), objects("deployments", "apps"). */
  objects(plural: string, group?: string): KubeObject[];
  /** Arms again what a killed process had under way; called once by the composition, after everything is built. */
  resume(): void;
}

function serverOf(
  foundation: Foundation,
  objects: Objects,
  tokens: Tokens,
  authorize: Authorizer,
  schemas: Schemas,
): Server {
  const judge = admissionPolicies(objects);
  return {
    foundation,
    objects,
    registry: registry(foundation, objects),
    list: lister(objects, foundation.clock),
    schemas,
    judges: { authorize, rules: ruleResolver(objects), tokens },
    ownerships: foundation.store.collection("kubernetes-appliers"),
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

const seeding =
  (server: Server) =>
  (object: KubeObject): KubeObject => {
    const type = typeOfKind(object.apiVersion, object.kind);
    if (!type) throw new Error(`The cluster knows no ${object.apiVersion} ${object.kind}`);
    return server.registry.create(type, object, { trusted: true });
  };

/** A cluster's first start: roles, namespaces, the bot's access. */
function seedOnce({ foundation, objects }: Server, create: (object: KubeObject) => KubeObject, hybrid: string): void {
  if (objects.list(known("namespaces")).length > 0) return;
  foundation.store.together(() => seeds(hybrid).forEach(create));
}

/**
 * Raises the simulated cluster on what its store remembers.
 * @param cloud EC2 as the cloud controller manager sees it
 */
export async function kubernetesApi(
  foundation: Foundation,
  cloud: Cloud,
  options: ClusterOptions,
): Promise<Kubernetes> {
  const authority: Authority = await clusterAuthority(foundation);
  const serverCertificate = await servingCredentials(foundation, authority);
  const objects = objectStore(foundation);
  const tokens = tokenIssuer(foundation, objects);
  const [byNode, byRole] = [nodeAuthorizer(objects), rbacAuthorizer(objects)];
  const authorize: Authorizer = (user, wanted) => byNode(user, wanted) || byRole(user, wanted);
  const server = serverOf(foundation, objects, tokens, authorize, await apiSchemas());
  const create = seeding(server);
  seedOnce(server, create, options.hybridNetwork);
  const { resume } = controlPlane({ server, cloud, authority, ...options });
  return {
    answer: answerer(server, authenticator(authority, tokens), options.version),
    issueToken: tokens.issue,
    adminCredentials: () => clientCredentials(authority, "sandbox-admin", ["system:masters"]),
    authorityPem: authority.pem,
    serverCertificate,
    create,
    objects: (plural, group = "") => objects.list(known(plural, group)),
    resume,
  };
}
