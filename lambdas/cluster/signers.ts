/** Signer of the client certificate with which a kubelet joins. */
export const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";

/** Signer of the certificate with which a kubelet serves `logs` and `exec`. */
export const SERVING_SIGNER = "kubernetes.io/kubelet-serving";
