# Stand-ins for adapters, addresses, routes, container networks and the firewall.
Import-Module (Join-Path $PSScriptRoot 'state.psm1')

function Stop-Missing([string] $what, $action) {
    Stop-Absent "No matching $what objects found." $action
}

function Get-NetAdapter([switch] $Physical, [int] $InterfaceIndex, $ErrorAction) {
    $found = @((Get-Machine).adapters | Where-Object { (-not $Physical -or $_.physical) -and (-not $InterfaceIndex -or $_.index -eq $InterfaceIndex) })
    if ($found.Count -eq 0) { Stop-Missing 'MSFT_NetAdapter' $ErrorAction }
    $found | ForEach-Object { [pscustomobject] @{ Name = $_.name; InterfaceIndex = $_.index; MacAddress = $_.mac } }
}

function Get-NetIPInterface([int] $InterfaceIndex, [string] $AddressFamily, $ErrorAction) {
    $found = @((Get-Machine).adapters | Where-Object { $_.index -eq $InterfaceIndex -and @($_.addresses).Count -gt 0 })
    if ($found.Count -eq 0) { return Stop-Missing 'MSFT_NetIPInterface' $ErrorAction }
    [pscustomobject] @{ InterfaceMetric = $found[0].metric; ConnectionState = if ($found[0].connected) { 'Connected' } else { 'Disconnected' } }
}

function Get-NetIPAddress([int] $InterfaceIndex, [string] $AddressFamily, $ErrorAction) {
    foreach ($adapter in @((Get-Machine).adapters | Where-Object { $_.index -eq $InterfaceIndex })) {
        foreach ($address in @($adapter.addresses)) {
            [pscustomobject] @{ IPAddress = $address.ip; PrefixLength = $address.prefix; AddressState = $address.state }
        }
    }
}

function Get-NetRoute([string] $AddressFamily, [string] $DestinationPrefix, [string] $PolicyStore, $ErrorAction) {
    $found = @((Get-Machine).routes | Where-Object { $_.prefix -eq $DestinationPrefix -and $_.store -eq $PolicyStore })
    if ($found.Count -eq 0) { return Stop-Missing 'MSFT_NetRoute' $ErrorAction }
    $found | ForEach-Object { [pscustomobject] @{ InterfaceIndex = $_.index; NextHop = $_.nextHop; RouteMetric = $_.metric } }
}

function New-NetRoute([string] $DestinationPrefix, [int] $InterfaceIndex, [string] $NextHop, [int] $RouteMetric, [string] $PolicyStore) {
    $machine = Get-Machine
    $same = @($machine.routes | Where-Object { $_.prefix -eq $DestinationPrefix -and $_.index -eq $InterfaceIndex -and $_.nextHop -eq $NextHop -and $_.store -eq $PolicyStore })
    if ($same.Count -gt 0) { throw 'Instance MSFT_NetRoute already exists' }
    $machine.routes = @($machine.routes) + @{ prefix = $DestinationPrefix; nextHop = $NextHop; index = $InterfaceIndex; metric = $RouteMetric; store = $PolicyStore }
    Add-Note "add $DestinationPrefix"
}

function Remove-NetRoute([string] $DestinationPrefix, [int] $InterfaceIndex, [string] $NextHop, [string] $PolicyStore, [switch] $Confirm) {
    $machine = Get-Machine
    $machine.routes = @($machine.routes | Where-Object { -not ($_.prefix -eq $DestinationPrefix -and $_.index -eq $InterfaceIndex -and $_.nextHop -eq $NextHop -and $_.store -eq $PolicyStore) })
    Add-Note "remove $DestinationPrefix"
}

function Get-HnsNetwork {
    foreach ($network in @((Get-Machine).hns.networks)) {
        $subnets = @($network.subnets | ForEach-Object { [pscustomobject] @{ AddressPrefix = $_ } })
        [pscustomobject] @{ Name = $network.name; ID = $network.id; Subnets = $subnets; ManagementIP = $network.managementIp }
    }
}

# A field of an endpoint that has no value is missing from the answer.
function Get-HnsEndpoint {
    foreach ($record in @((Get-Machine).hns.endpoints | Where-Object { $_ })) {
        $answer = [ordered] @{ ID = $record.id; VirtualNetwork = $record.network; IPAddress = $record.ip; MacAddress = "00-15-5D-00-$($record.id)" }
        if ($record.name) { $answer.Name = $record.name }
        [pscustomobject] $answer
    }
}

# The Host Networking Service behind vmcompute.dll: what network.ps1 sends to it.
function Send-ToHns([string] $path, $request) {
    $hns = (Get-Machine).hns
    if ($hns['refusal']) { return @{ Success = $false; Error = $hns['refusal'] } }
    if ($path -eq '/endpoints/') {
        $id = "endpoint-of-$($request.VirtualNetwork)"
        $hns.endpoints = @($hns.endpoints) + @{ name = $request.Name; id = $id; network = $request.VirtualNetwork; ip = '10.132.1.2'; compartment = 0 }
        Save-Machine
        return @{ Success = $true; Output = @(Get-HnsEndpoint)[-1] }
    }
    $endpoint = @($hns.endpoints | Where-Object { $path -eq "/endpoints/$($_.id)/attach" })[0]
    if (-not $endpoint -or $request.SystemType -ne 'Host') { return @{ Success = $false; Error = 'Element not found. ' } }
    $endpoint.compartment = $request.CompartmentId
    Save-Machine
    return @{ Success = $true }
}

# Stands for the import of HNSCall from vmcompute.dll, which no other system has.
function Add-Type([string] $Namespace, [string] $Name, [string] $MemberDefinition, [switch] $PassThru) {
    if ($MemberDefinition -notlike '*"vmcompute.dll"*int HNSCall(string *') { throw 'Only HNSCall has a stand-in.' }
    $members = 'public static Func<string, string, string, string> Answer; public static int HNSCall(string method, string path, ' +
        'string request, out string response) { response = Answer(method, path, request); return response == null ? -1 : 0; }'
    $type = Microsoft.PowerShell.Utility\Add-Type -Namespace $Namespace -Name $Name -MemberDefinition $members -PassThru
    $type::Answer = {
        param($method, $path, $request)
        if ($method -ne 'POST') { throw "HNS has no stand-in for $method." }
        Send-ToHns $path ($request | ConvertFrom-Json) | ConvertTo-Json -Depth 4 -Compress
    }
    return $type
}

# An endpoint that is attached to the host's compartment is an adapter of the host.
function Get-NetIPConfiguration([switch] $AllCompartments, [switch] $All, [switch] $Detailed, $ErrorAction) {
    foreach ($record in @((Get-Machine).hns.endpoints | Where-Object { $_ -and $_.compartment -eq 1 })) {
        [pscustomobject] @{ NetAdapter = [pscustomobject] @{ LinkLayerAddress = "00-15-5D-00-$($record.id)" }; IPv4Address = @([pscustomobject] @{ IPAddress = $record.ip }) }
    }
    [pscustomobject] @{ NetAdapter = $null; IPv4Address = $null }
}

# As in the module HostNetworkingService: endpoints, from the pipeline or by this name; it prints the service's answer.
function Remove-HnsEndpoint {
    [CmdletBinding()]
    param([Parameter(Mandatory = $true, ValueFromPipeline = $true)] [object[]] $InputObjects)
    process {
        $hns = (Get-Machine).hns
        $gone = @($InputObjects | ForEach-Object { $_.ID })
        $hns.endpoints = @($hns.endpoints | Where-Object { $gone -notcontains $_.id })
        Save-Machine
        ''
    }
}

# Windows returns the mask in dotted form.
function Get-NetFirewallRule([string] $Name, $ErrorAction) {
    if (-not (Assert-Allowed 'Get-NetFirewallRule' $ErrorAction)) { return }
    $rules = (Get-Machine).firewall
    if (-not $rules.ContainsKey($Name)) { return Stop-Missing 'MSFT_NetFirewallRule' $ErrorAction }
    [pscustomobject] @{ Name = $Name; Enabled = $rules[$Name].enabled; Action = $rules[$Name].action; Direction = $rules[$Name].direction; Profile = $rules[$Name].profile }
}

function Get-NetFirewallPortFilter([Parameter(ValueFromPipeline)] $rule) {
    $record = (Get-Machine).firewall[$rule.Name]
    [pscustomobject] @{ Protocol = $record.protocol; LocalPort = "$($record.port)" }
}

function Get-NetFirewallAddressFilter([Parameter(ValueFromPipeline)] $rule) {
    $record = (Get-Machine).firewall[$rule.Name]
    [pscustomobject] @{ RemoteAddress = @($record.remoteAddresses | ForEach-Object { $_ -replace '/16$', '/255.255.0.0' -replace '/32$', '' }) }
}

function New-NetFirewallRule([string] $Name, [string] $DisplayName, [string] $Enabled, [string] $Direction, [string] $Action, [string] $Profile, [string] $Protocol, [int] $LocalPort, [string[]] $RemoteAddress) {
    if ((Get-Machine).firewall.ContainsKey($Name)) { throw 'Cannot create a file when that file already exists.' }
    Write-Rule $PSBoundParameters
}

function Set-NetFirewallRule([string] $Name, [string] $Enabled, [string] $Direction, [string] $Action, [string] $Profile, [string] $Protocol, [int] $LocalPort, [string[]] $RemoteAddress) {
    if (-not (Get-Machine).firewall.ContainsKey($Name)) { throw 'No MSFT_NetFirewallRule objects found.' }
    Write-Rule $PSBoundParameters
}

function Write-Rule($given) {
    (Get-Machine).firewall[$given.Name] = @{
        enabled = $given.Enabled; action = $given.Action; direction = $given.Direction; profile = $given.Profile
        protocol = $given.Protocol; port = $given.LocalPort; remoteAddresses = @($given.RemoteAddress)
    }
    Save-Machine
}

Export-ModuleMember -Function 'Get-Net*', 'New-Net*', 'Set-Net*', 'Remove-Net*', 'Get-Hns*', 'Remove-Hns*', 'Add-Type'
