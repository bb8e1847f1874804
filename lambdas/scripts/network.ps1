# casement-script: network
#
# The part of the node's network that only the machine itself can know: runs at start-up as SYSTEM, waits for the
# container network that hybrid-overlay-node makes, then writes what the kubelet (through CNI) and kube-proxy need.
# A container network may look different after each boot, so both files are derived again and replaced when they
# differ; kube-proxy is restarted only then.
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)] [string] $NodeName,
    [Parameter(Mandatory = $true)] [string] $ServiceNetwork,
    [Parameter(Mandatory = $true)] [string] $HnsNetwork,
    [Parameter(Mandatory = $true)] [string] $HnsModule,
    [Parameter(Mandatory = $true)] [string] $CniConfig,
    [Parameter(Mandatory = $true)] [string] $KubeProxyConfig,
    [Parameter(Mandatory = $true)] [string] $KubeConfig,
    # Comma-separated Kubernetes feature gates to switch on for kube-proxy; versions before 1.34 need two.
    [string] $FeatureGates = '',
    # The task is ended after ten minutes.
    [int] $WaitSeconds = 540,
    [int] $PauseSeconds = 2
)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# include: shared/text.ps1

# What Windows does not know yet is missing from its answer altogether.
function Get-Field($object, [string] $name) {
    $field = $object.PSObject.Properties[$name]
    if ($null -eq $field) { return $null }
    return $field.Value
}

# The network is there when it has an address range and the address that traffic between nodes is sent to.
function Wait-Network([string] $name, [DateTime] $deadline) {
    while ($true) {
        $found = @(Get-HnsNetwork | Where-Object { (Get-Field $_ 'Name') -eq $name })
        if ($found.Count -gt 0 -and (Get-Field $found[0] 'Subnets') -and (Get-Field $found[0] 'ManagementIP')) { return $found[0] }
        if ([DateTime]::UtcNow -ge $deadline) { throw "the HNS network $name did not come within $WaitSeconds seconds" }
        Start-Sleep -Seconds $PauseSeconds
    }
}

function New-EndpointPolicy([string] $type, $settings) {
    return [ordered] @{ name = 'EndpointPolicy'; value = [ordered] @{ type = $type; settings = $settings } }
}

# Pods leave through address translation except towards services, which travel encapsulated to the node's own overlay.
function Get-CniText($network) {
    $outbound = [ordered] @{ exceptionList = @($ServiceNetwork); destinationPrefix = ''; needEncap = $false }
    $services = [ordered] @{ exceptionList = @(); destinationPrefix = $ServiceNetwork; needEncap = $true }
    $policies = @(
        (New-EndpointPolicy 'OutBoundNAT' $outbound),
        (New-EndpointPolicy 'SDNRoute' $services),
        (New-EndpointPolicy 'ProviderAddress' ([ordered] @{ providerAddress = "$($network.ManagementIP)" }))
    )
    $config = [ordered] @{
        cniVersion = '0.2.0'
        name = $HnsNetwork
        type = 'win-overlay'
        apiVersion = 2
        capabilities = [ordered] @{ portMappings = $true; dns = $true }
        ipam = [ordered] @{ type = 'host-local'; subnet = "$(@($network.Subnets)[0].AddressPrefix)" }
        policies = $policies
    }
    return $config | ConvertTo-Json -Depth 8
}

# kube-proxy sends from an address inside the overlay; an endpoint of an earlier network of that name is of no use.
# Remove-HnsEndpoint takes the endpoint, not its id (reference of the module HostNetworkingService).
function Get-SourceAddress($network) {
    $own = $null
    foreach ($endpoint in @(Get-HnsEndpoint | Where-Object { (Get-Field $_ 'Name') -eq 'VIPEndpoint' })) {
        if ("$(Get-Field $endpoint 'VirtualNetwork')" -eq "$($network.ID)") { $own = $endpoint } else { $endpoint | Remove-HnsEndpoint | Out-Null }
    }
    if (-not $own) {
        $own = New-HnsEndpoint -NetworkId $network.ID -Name 'VIPEndpoint'
        Attach-HnsHostEndpoint -EndpointID $own.ID -CompartmentID 1 | Out-Null
    }
    if (-not (Get-Field $own 'IPAddress')) { throw 'the endpoint VIPEndpoint got no address' }
    return "$($own.IPAddress)"
}

function Get-KubeProxyText($network, [string] $sourceAddress) {
    $gates = [ordered] @{}
    foreach ($gate in @($FeatureGates.Split(',') | Where-Object { $_ })) { $gates[$gate] = $true }
    $config = [ordered] @{
        apiVersion = 'kubeproxy.config.k8s.io/v1alpha1'
        kind = 'KubeProxyConfiguration'
        mode = 'kernelspace'
        hostnameOverride = $NodeName
        clusterCIDR = "$(@($network.Subnets)[0].AddressPrefix)"
        clientConnection = [ordered] @{ kubeconfig = $KubeConfig }
        featureGates = $gates
        winkernel = [ordered] @{ enableDSR = $true; networkName = $HnsNetwork; sourceVip = $sourceAddress }
    }
    return $config | ConvertTo-Json -Depth 8
}

# True when the file had to be written.
function Set-Text([string] $path, [string] $text) {
    if ([IO.File]::Exists($path) -and [IO.File]::ReadAllText($path) -ceq $text) { return $false }
    Save-Text $path $text
    return $true
}

function Restart-Proxy([bool] $changed) {
    $proxy = Get-Service -Name 'kube-proxy' -ErrorAction SilentlyContinue
    if (-not $proxy -or -not [IO.File]::Exists($KubeConfig)) { return }
    if ("$($proxy.Status)" -ne 'Running') { Start-Service -Name 'kube-proxy' }
    elseif ($changed) { Restart-Service -Name 'kube-proxy' -Force }
}

try {
    if (Test-Path -LiteralPath $HnsModule) { Import-Module $HnsModule -DisableNameChecking }
    $network = Wait-Network $HnsNetwork ([DateTime]::UtcNow.AddSeconds($WaitSeconds))
    $cni = Set-Text $CniConfig (Get-CniText $network)
    $proxy = Set-Text $KubeProxyConfig (Get-KubeProxyText $network (Get-SourceAddress $network))
    Restart-Proxy $proxy
    [ordered] @{ script = 'network'; ok = $true; cniChanged = $cni; kubeProxyChanged = $proxy } | ConvertTo-Json -Compress
    exit 0
} catch {
    [ordered] @{ script = 'network'; ok = $false; error = $_.Exception.Message } | ConvertTo-Json -Compress
    exit 1
}
