import { kubernetesFolder as k } from "../../machine/machine-paths.ts";

// TOML keeps backslashes unchanged only between single quotes.
const path = (tail: string): string => `'${k}\\${tail}'`;

/** Folder of containerd's config_path, with a folder for each registry. */
export const registriesFolder = `${k}\\containerd\\registries`;

/** Image of the container that holds the network of each pod: without it no pod starts. */
export const PAUSE_IMAGE = "mcr.microsoft.com/oss/kubernetes/pause:3.9";

/**
 * containerd's configuration, version 2, with WMCO's values. The registries' folder holds one hosts.toml per mirrored
 * registry. The pause image must have Windows layers, which the default of containerd 1.7 has too.
 */
export const containerdConfiguration = (): string => `version = 2
root = 'C:\\ProgramData\\containerd\\root'
state = 'C:\\ProgramData\\containerd\\state'
disabled_plugins = ["io.containerd.nri.v1.nri"]

[grpc]
  address = '\\\\.\\pipe\\containerd-containerd'
  max_recv_message_size = 16777216
  max_send_message_size = 16777216

[plugins]
  [plugins."io.containerd.gc.v1.scheduler"]
    mutation_threshold = 100

  [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = "${PAUSE_IMAGE}"
    image_pull_progress_timeout = "30m0s"
    max_concurrent_downloads = 3
    max_container_log_line_size = 16384
    stream_server_address = "127.0.0.1"
    stream_server_port = "0"
    stream_idle_timeout = "4h0m0s"
    disable_tcp_service = true
    stats_collect_period = 10

    [plugins."io.containerd.grpc.v1.cri".cni]
      bin_dir = ${path("cni")}
      conf_dir = ${path("cni\\config")}
      max_conf_num = 1
      ip_pref = "ipv4"

    [plugins."io.containerd.grpc.v1.cri".containerd]
      default_runtime_name = "runhcs-wcow-process"
      snapshotter = "windows"

      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runhcs-wcow-process]
        runtime_type = "io.containerd.runhcs.v1"

    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = '${registriesFolder}'

  [plugins."io.containerd.service.v1.diff-service"]
    default = ["windows", "windows-lcow"]

[timeouts]
  "io.containerd.timeout.shim.cleanup" = "5s"
  "io.containerd.timeout.shim.load" = "5s"
  "io.containerd.timeout.shim.shutdown" = "3s"
  "io.containerd.timeout.task.state" = "2s"
`;
