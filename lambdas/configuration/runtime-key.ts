/** Key of the release document. Each deployment writes a new version, and executions pin the version that they read. */
export const RUNTIME_KEY = "runtime/current.json";
