import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import type { Plugin } from "esbuild";

/**
 * Packages that the front door does not use. Bolt imports some for its OAuth pages and its receivers for servers and
 * sockets, but the front door passes Lambda's receiver to Bolt and implements `authorize` itself. Of Slack's types only
 * names of events are left at run time. AWS answers the front door with no event stream.
 */
const PACKAGES = [
  ...["express", "raw-body", "form-data", "@slack/socket-mode", "@slack/oauth"],
  ...["@slack/types", "@smithy/core/event-streams"],
];

/**
 * Lists of exports of Slack's packages, which would load every receiver and a file for each of Slack's methods: of each
 * package only the exports that the front door and Bolt import.
 */
const LISTS = {
  bolt: `
    exports.App = require("./App").default;
    exports.AwsLambdaReceiver = require("./receivers/AwsLambdaReceiver").default;
    exports.LogLevel = require("@slack/logger").LogLevel;
  `,
  "web-api": `
    Object.assign(exports, require("./errors"));
    exports.LogLevel = require("./logger").LogLevel;
    exports.WebClient = require("./WebClient").WebClient;
    exports.addAppMetadata = require("./instrument").addAppMetadata;
  `,
};

/**
 * An emitter of events that Slack's client and its queue of requests extend. Node's own has the same methods; it differs
 * in the event "error", which neither emits.
 */
const EMITTER = /^eventemitter3$/;

/**
 * Bolt's own files of the same kind: `App` imports them, but creates none of their classes if it gets a receiver and no
 * store.
 */
const FILES =
  /@slack\/bolt\/dist\/(Assistant|CustomFunction|conversation-store|receivers\/(Express|HTTP|SocketMode)\w*)\.js$/;

/** Bolt's files of types alone: their JavaScript exports nothing of its own. */
const TYPES = /@slack\/bolt\/dist\/types\/(actions|command|events|options|shortcuts|view)\/[\w-]+\.js$/;

const oneOf = (names: readonly string[]): string => names.map((name) => name.replaceAll("/", "\\/")).join("|");

/** Files of Slack's client for uploads and streamed messages, which the front door never sends. */
const CLIENT_FILES = /@slack\/web-api\/dist\/(file-upload|chat-stream)\.js$/;

/** The file in which AWS's signer encodes headers of messages in event streams, of which the front door sends none. */
const EVENT_HEADERS_FILE = /@smithy\/signature-v4\/dist-es\/HeaderFormatter\.js$/;

/** Node's zlib, which Slack's client uses only for analytics files; loading it takes some 3 ms of a cold start. */
const ZLIB = /^(node:)?zlib$/;

/** The file that makes the user agent of Slack's client. The front door calls itself as it does to AWS. */
const USER_AGENT_FILE = /@slack\/web-api\/dist\/instrument\.js$/;

const USER_AGENT = `exports.addAppMetadata = () => undefined; exports.getUserAgent = () => "casement";`;

/** Descriptions of Slack's packages. Bolt reads only name and version, for the user agent. */
const DESCRIPTIONS = /@slack\/(bolt|web-api)\/package\.json$/;

/** Slack's client has a property for each family of the Web API's methods, and binds every method when it is made. */
const METHODS_FILE = /@slack\/web-api\/dist\/methods\.js$/;

/** A family in that file: `    chat = { … };`, indented by four spaces as no line inside is. */
const FAMILY = /^ {4}(\w+) = \{\n[\s\S]*?^ {4}\};\n/gm;

/** Families whose methods the front door and Bolt's `App` call. */
const FAMILIES: readonly string[] = ["auth", "chat", "views"];

/** Keeps the families of methods that are called. @throws Error if the file is no longer written that way */
function neededMethods(source: string): string {
  const found = [...source.matchAll(FAMILY)].map(([, name = ""]) => name);
  const missing = FAMILIES.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`Slack's client has no family of methods ${missing.join(", ")}`);
  return source.replace(FAMILY, (text, name: string) => (FAMILIES.includes(name) ? text : ""));
}

/** Puts an empty class or module in place of each. Code that used one would fail immediately, and so would a test. */
const leaveOut: Plugin = {
  name: "leave out what is never reached",
  setup: (build) => {
    build.onResolve({ filter: new RegExp(`^(${oneOf(PACKAGES)})$`) }, ({ path }) => ({ path, namespace: "left-out" }));
    build.onResolve({ filter: ZLIB }, ({ path }) => ({ path, namespace: "left-out" }));
    build.onLoad({ filter: /./, namespace: "left-out" }, () => ({ contents: "module.exports = {};" }));
    for (const [name, contents] of Object.entries(LISTS))
      build.onLoad({ filter: new RegExp(`@slack/${name}/dist/index\\.js$`) }, () => ({ contents }));
    build.onResolve({ filter: EMITTER }, () => ({ path: "node:events", namespace: "node" }));
    build.onLoad({ filter: FILES }, () => ({ contents: "exports.default = class {};" }));
    build.onLoad({ filter: TYPES }, () => ({ contents: "module.exports = {};" }));
    build.onLoad({ filter: CLIENT_FILES }, () => ({ contents: "module.exports = {};" }));
    build.onLoad({ filter: EVENT_HEADERS_FILE }, () => ({ contents: "export class HeaderFormatter {}" }));
    build.onLoad({ filter: USER_AGENT_FILE }, () => ({ contents: USER_AGENT }));
    build.onLoad({ filter: METHODS_FILE }, ({ path }) => ({ contents: neededMethods(readFileSync(path, "utf8")) }));
    build.onLoad({ filter: DESCRIPTIONS }, ({ path }) => {
      const { name, version } = JSON.parse(readFileSync(path, "utf8"));
      return { contents: JSON.stringify({ name, version }), loader: "json" };
    });
  },
};

/**
 * Loads Node's own modules by `require`. An `import` reads all of their exports, and some in node:http, node:fs and
 * node:crypto are getters that load a WebSocket client, streams and Web Crypto: 20 ms, measured on Node 24.21.
 */
const requireNode: Plugin = {
  name: "require Node's modules",
  setup: (build) => {
    const ofNode = builtinModules.filter((name) => !name.startsWith("_"));
    build.onResolve({ filter: new RegExp(`^(node:)?(${oneOf(ofNode)})$`) }, ({ path, kind }) =>
      kind === "require-call" ? { path, external: true } : { path, namespace: "node" },
    );
    build.onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Plugins that make the front door's bundle start fast: Slack waits only three seconds, including a cold start. */
export const frontDoorPlugins: Plugin[] = [leaveOut, requireNode];
