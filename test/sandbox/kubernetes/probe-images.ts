/** Images of probes in the simulated cluster, and in the real one of test/cluster. */
export const testImages: readonly string[] = [
  "registry.example.com/servercore:ltsc2022",
  "registry.example.com/busybox:1",
  "registry.example.com/s:1",
];
