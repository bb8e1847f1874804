/** Signer of the certificate that a kubelet joins with. */
export const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";

/** Signer of the certificate that a kubelet serves `logs` and `exec` with. */
export const SERVING_SIGNER = "kubernetes.io/kubelet-serving";
