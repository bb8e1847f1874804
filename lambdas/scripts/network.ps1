# casement-script: network
#
# Writes the network files that only the machine can derive: runs at start-up and every ten minutes as SYSTEM, waits
# for the container network that hybrid-overlay-node creates, then writes the configuration of CNI and kube-proxy.
# A container network may change at each boot, so both files are derived again. If one differs, it is replaced; only
# then is kube-proxy restarted.
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)] [string] $NodeName,
    [Parameter(Mandatory = $true)] [string] $ServiceNetwork,
    [Parameter(Mandatory = $true)] [string] $HnsNetwork,
    [Parameter(Mandatory = $true)] [string] $CniConfig,
    [Parameter(Mandatory = $true)] [string] $KubeProxyConfig,
    [Parameter(Mandatory = $true)] [string] $KubeConfig,
    # Comma-separated Kubernetes feature gates to switch on for kube-proxy; versions before 1.34 need two.
    [string] $FeatureGates = '',
    [string] $StateFile = (Join-Path $env:SystemDrive 'Casement\network.json'),
    # Windows ends the task after ten minutes.
    [int] $WaitSeconds = 540,
    [int] $PauseSeconds = 2
)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$WarningPreference = 'SilentlyContinue'

# include: shared/causes.ps1

# include: shared/text.ps1

# include: shared/events.ps1

# include: shared/service-control.ps1

# A field that Windows does not know yet is missing from its answer.
function Get-Field($object, [string] $name) {
    if ($null -eq $object) { return $null }
    $field = $object.PSObject.Properties[$name]
    if ($null -eq $field) { return $null }
    return $field.Value
}

# The network is ready when it has an address range and the address for traffic between nodes.
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

# A pod that reached the metadata service would have the node's role. A hop limit of one does not block it where the
# virtual switch routes (amazon-vpc-cni-plugins, network/imds/imds_windows.go, blocks it in this way). An endpoint with
# any rule blocks everything that no rule allows, so the two others allow all else; the lower number has priority.
function Get-MetadataRules {
    return @(
        (New-EndpointPolicy 'ACL' ([ordered] @{ Action = 'Block'; Direction = 'Out'; RemoteAddresses = '169.254.169.254/32'; Priority = 200 })),
        (New-EndpointPolicy 'ACL' ([ordered] @{ Action = 'Allow'; Direction = 'In'; Priority = 300 })),
        (New-EndpointPolicy 'ACL' ([ordered] @{ Action = 'Allow'; Direction = 'Out'; Priority = 300 }))
    )
}

# Pod traffic is address-translated, except to services: it goes encapsulated to the node's own overlay.
function Get-CniText($network) {
    $outbound = [ordered] @{ exceptionList = @($ServiceNetwork); destinationPrefix = ''; needEncap = $false }
    $services = [ordered] @{ exceptionList = @(); destinationPrefix = $ServiceNetwork; needEncap = $true }
    $policies = @(
        (New-EndpointPolicy 'OutBoundNAT' $outbound),
        (New-EndpointPolicy 'SDNRoute' $services),
        (New-EndpointPolicy 'ProviderAddress' ([ordered] @{ providerAddress = "$($network.ManagementIP)" }))
    ) + (Get-MetadataRules)
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

# The host's address of an endpoint; empty if the endpoint is not attached to the host. WMCO reads it in the same way
# (network-conf.ps1).
function Get-HostAddress($endpoint) {
    $mac = "$(Get-Field $endpoint 'MacAddress')"
    $found = @(Get-NetIPConfiguration -AllCompartments -All -Detailed -ErrorAction SilentlyContinue | Where-Object {
        $mac -and "$(Get-Field (Get-Field $_ 'NetAdapter') 'LinkLayerAddress')" -eq $mac -and (Get-Field $_ 'IPv4Address')
    })
    if ($found.Count -eq 0) { return '' }
    return "$(@($found[0].IPv4Address)[0].IPAddress)"
}

# Sends a request to the Host Networking Service. Windows' module HostNetworkingService can list and remove endpoints, but
# neither create nor attach one, so this calls what the module calls (hcsshim, internal/hns: HNSCall of vmcompute.dll takes
# a method, a path and JSON, and answers with the JSON of Success, Error and Output). Windows frees the answer's memory.
function Invoke-Hns([string] $path, $request) {
    $import = '[DllImport("vmcompute.dll", CharSet = CharSet.Unicode, ExactSpelling = true)] public static extern int ' +
        'HNSCall(string method, string path, string request, [MarshalAs(UnmanagedType.LPWStr)] out string response);'
    $service = Add-Type -Namespace 'Casement' -Name 'Hns' -MemberDefinition $import -PassThru
    $text = ''
    $result = $service::HNSCall('POST', $path, ($request | ConvertTo-Json -Compress), [ref] $text)
    if ($result -ne 0) { throw "the Host Networking Service did not answer: 0x$($result.ToString('x8'))" }
    $answer = $text | ConvertFrom-Json
    if (-not (Get-Field $answer 'Success')) { throw "the Host Networking Service refused $($path): $(Get-Field $answer 'Error')" }
    return Get-Field $answer 'Output'
}

function Add-Endpoint($network) {
    $own = Invoke-Hns '/endpoints/' ([ordered] @{ VirtualNetwork = "$($network.ID)"; Name = 'VIPEndpoint' })
    Invoke-Hns "/endpoints/$($own.ID)/attach" ([ordered] @{ SystemType = 'Host'; CompartmentId = 1 }) | Out-Null
    for ($look = 0; -not (Get-HostAddress $own); $look++) {
        if ($look -ge 30) { throw 'the endpoint VIPEndpoint gave this machine no address within 30 seconds' }
        Start-Sleep -Seconds 1
    }
    return Get-HostAddress $own
}

# kube-proxy sends from an address of the host inside the overlay. An endpoint of an earlier network of that name is
# replaced, and one that lost its attachment at a boot.
# Remove-HnsEndpoint takes the endpoint, not its id (reference of the module HostNetworkingService).
function Get-SourceAddress($network) {
    $address = ''
    foreach ($endpoint in @(Get-HnsEndpoint | Where-Object { (Get-Field $_ 'Name') -eq 'VIPEndpoint' })) {
        if ("$(Get-Field $endpoint 'VirtualNetwork')" -eq "$($network.ID)") { $address = Get-HostAddress $endpoint }
        if (-not $address) { $endpoint | Remove-HnsEndpoint | Out-Null }
    }
    if ($address) { return $address }
    return Add-Endpoint $network
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

# True if the file was written.
function Set-Text([string] $path, [string] $text) {
    if ([IO.File]::Exists($path) -and [IO.File]::ReadAllText($path) -ceq $text) { return $false }
    Save-Text $path $text
    return $true
}

function Restart-Proxy([bool] $changed) {
    $proxy = Get-Service -Name 'kube-proxy' -ErrorAction SilentlyContinue
    if (-not $proxy -or -not [IO.File]::Exists($KubeConfig)) { return }
    if ($changed) { Stop-ServiceBounded 'kube-proxy' }
    if ((Get-ServiceState 'kube-proxy') -ne 'Running') { Start-ServiceBounded 'kube-proxy' }
}

# Nobody reads a task's output, so errors go to a record and an event.
function Save-Result($result) {
    $result.at = [DateTime]::UtcNow.ToString('o')
    $words = if ($result.ok) { 'The network is set up.' } else { $result.error }
    Write-CasementEvent 4002 $result.ok $words
    try { Save-Text $StateFile ($result | ConvertTo-Json -Compress) }
    catch { Write-CasementEvent 4002 $false "The record could not be written: $(Get-ErrorText $_)" }
}

try {
    $network = Wait-Network $HnsNetwork ([DateTime]::UtcNow.AddSeconds($WaitSeconds))
    $cni = Set-Text $CniConfig (Get-CniText $network)
    $proxy = Set-Text $KubeProxyConfig (Get-KubeProxyText $network (Get-SourceAddress $network))
    Restart-Proxy $proxy
    Save-Result ([ordered] @{ script = 'network'; ok = $true; error = ''; cniChanged = $cni; kubeProxyChanged = $proxy })
    exit 0
} catch {
    Save-Result ([ordered] @{ script = 'network'; ok = $false; error = Get-ErrorText $_ })
    exit 1
}
