import { Agent, type RequestOptions, request } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { known, qualified, typeOfKind } from "../../../lib/sandbox/kubernetes/model/resources.ts";
import type { Answer, Ask } from "./asking.ts";

// Runs the suites of the simulated API server against a real one.

/** Milliseconds until a stored policy or role takes effect, in the server's time: about a second was measured on 1.34. */
const POLICY_MS = 2_000;

/** Milliseconds that one request, and one wait for a controller, may take. */
const ANSWER_MS = 30_000;
/** A garbage collector of 1.36 took more than 20 s for dependents, after kinds were added. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 100;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends one request and reads the answer to its end. */
const exchange = (options: RequestOptions, address: URL, body: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(address, { ...options, timeout: ANSWER_MS }, (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const headers = Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        );
        const isJson = headers["content-type"]?.includes("json") && !text.trimEnd().includes("\n{");
        resolve({ status: incoming.statusCode ?? 0, headers, body: isJson && text ? JSON.parse(text) : text });
      });
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${ANSWER_MS / 1_000} s`)));
    outgoing.on("error", reject);
    outgoing.end(body);
  });

const collection = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[^/]+$/;

/** Finds the path of the object that a request has created; undefined when it created none. */
function madeBy(method: string, url: string, { status, body }: Answer): string | undefined {
  const [path = "", query = ""] = url.split("?");
  if (status !== 201 || query.includes("dryRun=All")) return undefined;
  if (method === "PATCH") return path;
  const name = body?.metadata?.name;
  return method === "POST" && collection.test(path) && name ? `${path}/${name}` : undefined;
}

/** Finds the path under which objects of a kind are created. */
function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  const type = typeOfKind(apiVersion, kind);
  if (!type) throw new Error(`the suites know no ${apiVersion} ${kind}`);
  const group = type.group ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}${type.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : ""}/${type.plural}`;
}

const MERGE = { "content-type": "application/merge-patch+json" };
const APPLY = { "content-type": "application/apply-patch+yaml" };
const account = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** A user to send requests as: options of the connection, and headers. */
interface Sender {
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** Reads an administrator's access to a server from a kubeconfig of any kind. */
async function administratorOf(text: string): Promise<{ readonly server: string; readonly sender: Sender }> {
  const config = new KubeConfig();
  config.loadFromString(text);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options as Parameters<typeof config.applyToHTTPSOptions>[0]);
  const { headers = {}, agent: _own, ...connection } = options;
  const server = config.getCurrentCluster()?.server ?? "";
  const own = headers as Record<string, string>;
  return { server, sender: { options: { ...connection, agent: keeping(connection) }, headers: own } };
}

const keeping = (options: RequestOptions): Agent =>
  new Agent({ keepAlive: true, ...Object.fromEntries(Object.entries(options).filter(([name]) => tls.has(name))) });
const tls = new Set(["ca", "cert", "key", "pfx", "passphrase", "rejectUnauthorized", "servername"]);

/** Removes the administrator's certificate from the connection: it would take precedence over a token. */
function without({ options }: Sender): RequestOptions {
  const { cert: _cert, key: _key, pfx: _pfx, agent: _agent, auth: _auth, ...rest } = options;
  return { ...rest, agent: keeping(rest) };
}

/** A real server, in the shape of the cluster that the suites use. */
export interface ServedCluster {
  readonly admin: Ask;
  as(name: string, groups?: string[]): Ask;
  /** Creates an object with its status, as an administrator; later requests wait for it. */
  create(object: KubeObject): void;
  /** Applies an object as `kubectl apply --server-side` does; skips objects in a missing namespace. */
  apply(object: KubeObject): Promise<void>;
  objects(plural: string, group?: string): Promise<KubeObject[]>;
  until(question: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** Deletes everything that was created. */
  stop(): Promise<void>;
}

/**
 * A server named by its kubeconfig: people and kubelets are impersonated, service accounts have real tokens.
 * @param text the kubeconfig of an administrator
 * @param speed how many times faster than the host's the server's clock is
 */
export async function servedCluster(text: string, speed = 1): Promise<ServedCluster> {
  const { server, sender } = await administratorOf(text);
  const made: string[] = [];
  let before: Promise<unknown> = Promise.resolve();

  const send = async (by: Sender, line: string, body: unknown, headers: Record<string, string>): Promise<Answer> => {
    const [method = "GET", url = "/"] = line.split(" ");
    const written = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const length = { "content-length": String(Buffer.byteLength(written)) };
    const all = {
      accept: "application/json",
      "content-type": "application/json",
      ...by.headers,
      ...headers,
      ...length,
    };
    const answer = await exchange({ ...by.options, method, headers: all }, new URL(url, server), written);
    const path = madeBy(method, url, answer);
    if (path) made.push(path);
    const isOver = method === "GET" || (method === "PATCH" && url.includes("fieldManager=casement-tests"));
    if (!isOver && /\/validatingadmissionpolic|\/rbac\.authorization/.test(url)) await pause(POLICY_MS / speed);
    return answer;
  };
  const asking =
    (by: () => Promise<Sender>): Ask =>
    async (line, body, headers = {}) => {
      await before;
      const own = headers.authorization ? { options: without(sender), headers: {} } : await by();
      return send(own, line, body, headers);
    };
  const admin = asking(async () => sender);

  const acting = async (name: string, groups: readonly string[] = []): Promise<Sender> => {
    const [, namespace, of] = account.exec(name) ?? [];
    if (!of)
      return { ...sender, headers: { ...sender.headers, "impersonate-user": name, "impersonate-group": groups } };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${of}/token`;
    const { status, body } = await send(sender, `POST ${path}`, { spec: { expirationSeconds: 3_600 } }, {});
    if (status !== 201) throw new Error(`no token for ${name}: ${JSON.stringify(body)}`);
    return { options: without(sender), headers: { authorization: `Bearer ${body.status.token}` } };
  };

  const create = async (object: KubeObject): Promise<void> => {
    const path = pathOf(object);
    const { status, body } = await send(sender, `POST ${path}`, object, {});
    // Existing objects stay: a cluster has its service accounts.
    if (status === 409) return;
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
    if (object.status)
      await send(sender, `PATCH ${path}/${body.metadata.name}/status`, { status: object.status }, MERGE);
  };

  const apply = async (object: KubeObject): Promise<void> => {
    const path = `${pathOf(object)}/${object.metadata.name}?fieldManager=casement-tests&force=true`;
    const { status, body } = await send(sender, `PATCH ${path}`, object, APPLY);
    if (status >= 300 && status !== 404) throw new Error(`${path}: ${JSON.stringify(body)}`);
  };

  /** Ends the pods that are being deleted at once, whatever their grace; an owner that is being deleted waits for them. */
  const endPods = async (): Promise<void> => {
    const { body } = await send(sender, "GET /api/v1/pods", undefined, {});
    for (const { metadata } of body.items as KubeObject[]) {
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
      if (metadata.deletionTimestamp) await send(sender, `DELETE ${path}`, { gracePeriodSeconds: 0 }, {});
    }
  };

  /** Removes the suites' finalizers from an object; those of the cluster stay. */
  const release = async (path: string, { finalizers = [] }: KubeObject["metadata"]): Promise<void> => {
    const left = finalizers.filter((one) => !one.includes("/"));
    if (left.length < finalizers.length) await send(sender, `PATCH ${path}`, { metadata: { finalizers: left } }, MERGE);
  };

  /** Deletes an object and its pods and waits until they are gone. */
  const remove = async (path: string): Promise<void> => {
    const isOwner = path.includes("/deployments/");
    const propagationPolicy = isOwner ? "Foreground" : "Background";
    await send(sender, `DELETE ${path}`, { gracePeriodSeconds: 0, propagationPolicy }, {});
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const { status, body } = await send(sender, `GET ${path}`, undefined, {});
      if (status !== 200 || performance.now() > end) return;
      await release(path, body.metadata);
      if (isOwner) await endPods();
      await pause(LOOK_EVERY_MS);
    }
  };

  return {
    admin,
    apply,
    as: (name, groups) => {
      let known: Promise<Sender> | undefined;
      return asking(() => {
        known ??= acting(name, groups);
        return known;
      });
    },
    create: (object) => {
      before = before.then(() => create(object));
    },
    objects: async (plural, group) => {
      const { group: of, apiVersion } = known(plural, group);
      const { body } = await admin(`GET ${of ? `/apis/${apiVersion}` : `/api/${apiVersion}`}/${plural}`);
      if (!Array.isArray(body.items)) throw new Error(`${qualified(known(plural, group))}: ${JSON.stringify(body)}`);
      return body.items;
    },
    until: async (question, what) => {
      const end = performance.now() + PATIENCE_MS;
      while (!(await question())) {
        if (performance.now() > end) throw new Error(`${what} did not come within ${PATIENCE_MS / 1_000} s`);
        await pause(LOOK_EVERY_MS);
      }
    },
    stop: async () => {
      await before.catch(() => undefined);
      // The heartbeat of a node that is still there makes its lease anew; it goes with the node.
      for (const path of made.splice(0).reverse())
        await (path.includes("/leases/") ? send(sender, `DELETE ${path}`, undefined, {}) : remove(path));
    },
  };
}
