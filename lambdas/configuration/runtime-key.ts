/** Key of the release document: a deployment writes a new version, and executions name the version that they read. */
export const RUNTIME_KEY = "runtime/current.json";
