# casement-script: guard
#
# Keeps the instance metadata service reachable. Windows loses the routes to it when a container network takes over
# the network adapter; EC2Launch then deletes the rest and adds routes on an adapter without an address. Without
# routes the SSM agent cannot start, so no remote repair is possible: this script runs on the machine, as SYSTEM, at
# start-up and every minute.
#
# It chooses the path by the default routes of the active store, never by their order. A valid interface is
# connected, has a settled address in the gateway's subnet, and has the MAC address of the primary network interface
# (recorded while the metadata service answered) or of a physical adapter. If there is no best path, or several equal
# ones, the script writes nothing and exits with code 1.
#
# -Check changes nothing and prints the findings as one line of JSON.
[CmdletBinding()]
param(
    [switch] $Check,
    [string] $StateFile = (Join-Path $env:SystemDrive 'Casement\guard.json'),
    # Checks again until EC2Launch has stopped, at most this long; Windows ends the task after ten minutes.
    [int] $WindowSeconds = 480,
    [int] $PauseSeconds = 5
)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# Metadata, DNS, time, an address AWS does not explain, and two for the activation of Windows: EC2Launch's own list.
$Targets = @('169.254.169.254', '169.254.169.253', '169.254.169.123', '169.254.169.249', '169.254.169.250', '169.254.169.251')

$WarningPreference = 'SilentlyContinue'

# include: shared/causes.ps1

# include: shared/metadata.ps1

# include: shared/text.ps1

# include: shared/events.ps1

# include: shared/service-control.ps1

function Get-SavedState {
    $empty = @{ mac = ''; repairs = 0; ok = $null; error = ''; agentDue = $false }
    if (-not (Test-Path -LiteralPath $StateFile)) { return $empty }
    try {
        $saved = Get-Content -LiteralPath $StateFile -Raw | ConvertFrom-Json
        $due = $saved.PSObject.Properties['agentDue']
        return @{
            mac = "$($saved.mac)"; repairs = [int] $saved.repairs; ok = $saved.ok; error = "$($saved.error)"
            agentDue = $null -ne $due -and $due.Value -eq $true
        }
    } catch {
        return $empty
    }
}

# An IPv4 address as a number, so that two can be compared by subnet.
function ConvertTo-Number([string] $address) {
    $bytes = ([Net.IPAddress] $address).GetAddressBytes()
    [Array]::Reverse($bytes)
    return [BitConverter]::ToUInt32($bytes, 0)
}

function Test-SameSubnet($address, [string] $other) {
    $size = [Math]::Pow(2, 32 - $address.PrefixLength)
    $own = [Math]::Floor((ConvertTo-Number $address.IPAddress) / $size)
    return $own -eq [Math]::Floor((ConvertTo-Number $other) / $size)
}

# Settled addresses of an interface in the gateway's subnet, without self-assigned ones (169.254).
function Get-AddressTowards([int] $index, [string] $gateway) {
    $addresses = @(Get-NetIPAddress -InterfaceIndex $index -AddressFamily IPv4 -ErrorAction SilentlyContinue)
    return @($addresses | Where-Object {
        "$($_.AddressState)" -eq 'Preferred' -and $_.IPAddress -notlike '169.254.*' -and (Test-SameSubnet $_ $gateway)
    })
}

# 0: the recorded primary interface. 1: an adapter that shares its MAC with a physical one. 2: neither.
function Get-Rank([string] $mac, [string] $recorded, [string[]] $physical) {
    if ($recorded -and $mac -eq $recorded) { return 0 }
    if ($physical -contains $mac) { return 1 }
    return 2
}

function Get-Candidate([string] $recorded) {
    $physical = @(Get-NetAdapter -Physical -ErrorAction SilentlyContinue | ForEach-Object { "$($_.MacAddress)" })
    $defaults = @(Get-NetRoute -AddressFamily IPv4 -DestinationPrefix '0.0.0.0/0' -PolicyStore ActiveStore -ErrorAction SilentlyContinue)
    foreach ($route in $defaults) {
        if ($route.NextHop -eq '0.0.0.0') { continue }
        $index = $route.InterfaceIndex
        $interface = Get-NetIPInterface -InterfaceIndex $index -AddressFamily IPv4 -ErrorAction SilentlyContinue
        $adapter = Get-NetAdapter -InterfaceIndex $index -ErrorAction SilentlyContinue
        if (-not $interface -or -not $adapter -or "$($interface.ConnectionState)" -ne 'Connected') { continue }
        if (@(Get-AddressTowards $index $route.NextHop).Count -eq 0) { continue }
        $rank = Get-Rank "$($adapter.MacAddress)" $recorded $physical
        if ($rank -eq 2) { continue }
        [pscustomobject] @{ Index = $index; Gateway = $route.NextHop; Rank = $rank; Metric = $route.RouteMetric + $interface.InterfaceMetric }
    }
}

# The best paths: exactly one can be used.
function Get-BestPath([string] $recorded) {
    $sorted = @(Get-Candidate $recorded | Sort-Object -Property 'Rank', 'Metric')
    if ($sorted.Count -eq 0) { return }
    $best = $sorted[0]
    $sorted | Where-Object { $_.Rank -eq $best.Rank -and $_.Metric -eq $best.Metric }
}

# If no adapter has the recorded MAC, the record comes from another machine that had this disk.
function Get-RecordedMac([string] $saved) {
    $here = @(Get-NetAdapter -ErrorAction SilentlyContinue | ForEach-Object { "$($_.MacAddress)" })
    if ($here -contains $saved) { return $saved }
    return ''
}

# Adds the right route before it removes wrong ones. Returns the number of changed routes.
function Repair-Route([string] $target, $path) {
    $prefix = "$target/32"
    $changes = 0
    $active = @(Get-NetRoute -DestinationPrefix $prefix -PolicyStore ActiveStore -ErrorAction SilentlyContinue)
    $good = @($active | Where-Object { $_.InterfaceIndex -eq $path.Index -and $_.NextHop -eq $path.Gateway })
    if ($good.Count -eq 0) {
        New-NetRoute -DestinationPrefix $prefix -InterfaceIndex $path.Index -NextHop $path.Gateway -RouteMetric 15 -PolicyStore ActiveStore | Out-Null
        $changes++
    }
    # Remove-NetRoute changes only one store, so both are searched.
    foreach ($store in @('ActiveStore', 'PersistentStore')) {
        $routes = @(Get-NetRoute -DestinationPrefix $prefix -PolicyStore $store -ErrorAction SilentlyContinue)
        $wrong = @($routes | Where-Object { $_.NextHop -ne $path.Gateway -or ($store -eq 'ActiveStore' -and $_.InterfaceIndex -ne $path.Index) })
        foreach ($route in $wrong) {
            Remove-NetRoute -DestinationPrefix $prefix -InterfaceIndex $route.InterfaceIndex -NextHop $route.NextHop -PolicyStore $store -Confirm:$false
            $changes++
        }
    }
    return $changes
}

# EC2Launch deletes and adds routes at each boot, and stops when its tasks are done.
function Test-LaunchSettled {
    $launch = Get-Service -Name 'Amazon EC2Launch' -ErrorAction SilentlyContinue
    return (-not $launch) -or "$($launch.Status)" -eq 'Stopped'
}

# Restarts the agent, unless a command of Casement holds the mutex of its commands. True if it was restarted.
function Restart-IdleAgent {
    $command = New-Object Threading.Mutex $false, 'Global\casement'
    try { $idle = $command.WaitOne(0) } catch [Threading.AbandonedMutexException] { $idle = $true }
    if (-not $idle) { return $false }
    try {
        Stop-ServiceBounded 'AmazonSSMAgent'
        Start-ServiceBounded 'AmazonSSMAgent'
    } finally {
        $command.ReleaseMutex()
    }
    return $true
}

# An agent that was cut off for two checks sleeps up to an hour before it polls again, so it is restarted. Otherwise a
# running agent is not restarted, as it may be executing a command. True if the restart is still due.
function Restore-Agent([bool] $due) {
    $agent = Get-Service -Name 'AmazonSSMAgent' -ErrorAction SilentlyContinue
    if (-not $agent) { return $false }
    if ("$($agent.Status)" -eq 'Running') { return $due -and -not (Restart-IdleAgent) }
    Start-ServiceBounded 'AmazonSSMAgent'
    return $false
}

# One check: repairs the routes and returns the findings.
function Invoke-Look([string] $recorded) {
    $paths = @(Get-BestPath $recorded)
    $changes = 0
    if ($paths.Count -eq 1) { foreach ($target in $Targets) { $changes += Repair-Route $target $paths[0] } }
    return @{ Paths = $paths; Changes = $changes; Token = Get-MetadataToken }
}

function Get-Complaint($look) {
    if ($look.Paths.Count -eq 0) { return 'no default route leads to the network of this instance yet' }
    if ($look.Paths.Count -gt 1) { return "$($look.Paths.Count) interfaces are equally likely: nothing was written" }
    if (-not $look.Token) { return 'the metadata service does not answer' }
    return ''
}

# A disabled agent goes on running until the next boot, and no command reaches the machine afterwards: Windows refuses to
# start it (error 1058, ERROR_SERVICE_DISABLED).
function Get-AgentComplaint {
    $agent = Get-Service -Name 'AmazonSSMAgent' -ErrorAction SilentlyContinue
    if ($agent -and "$($agent.StartType)" -eq 'Disabled') { return 'the service AmazonSSMAgent is disabled: Windows does not start it (error 1058)' }
    return ''
}

function Invoke-Guard {
    $saved = Get-SavedState
    $mac = Get-RecordedMac $saved.mac
    $misses = 0
    $changes = 0
    $deadline = [DateTime]::UtcNow.AddSeconds($WindowSeconds)
    while ($true) {
        $look = Invoke-Look $mac
        $changes += $look.Changes
        if (-not $look.Token) { $misses++ }
        if (-not $mac -and $look.Token) { $mac = "$(Get-PrimaryMac $look.Token)" }
        $complaint = Get-Complaint $look
        if (-not $complaint -and (Test-LaunchSettled)) { break }
        if ([DateTime]::UtcNow -ge $deadline) { break }
        Start-Sleep -Seconds $PauseSeconds
    }
    if (-not $complaint) { $complaint = Get-AgentComplaint }
    # Recorded first: if the agent cannot be started, the primary interface that was found is still kept.
    $saved.agentDue = $saved.agentDue -or $misses -ge 2
    $state = Save-Guard $saved $mac $look $changes $complaint
    if ($complaint) { return $false }
    $due = Restore-Agent $state.agentDue
    if ($due -ne $state.agentDue) {
        $state.agentDue = $due
        Save-State $state
    }
    return $true
}

# If the disk is full, the failed write is only reported, so that the agent is still restarted.
function Save-State($state) {
    try { Save-Text $StateFile ($state | ConvertTo-Json -Compress) }
    catch { Write-CasementEvent 4001 $false "The record could not be written: $(Get-ErrorText $_)" }
}

function Save-Guard($saved, [string] $mac, $look, [int] $changes, [string] $complaint) {
    $ok = -not $complaint
    $state = [ordered] @{
        at = [DateTime]::UtcNow.ToString('o')
        ok = $ok
        agentDue = $saved.agentDue
        error = $complaint
        mac = $mac
        paths = $look.Paths.Count
        interface = if ($look.Paths.Count -eq 1) { $look.Paths[0].Index } else { $null }
        gateway = if ($look.Paths.Count -eq 1) { $look.Paths[0].Gateway } else { $null }
        changed = $changes
        repairs = $saved.repairs + [int] ($changes -gt 0)
    }
    Save-State $state
    # Writes only changes: a run each minute would fill the log.
    if ($changes -gt 0 -or $saved.ok -ne $ok -or $saved.error -ne $complaint) {
        Write-CasementEvent 4001 $ok "Routes changed: $changes. $(if ($ok) { 'The metadata service answers.' } else { $complaint })"
    }
    return $state
}

if ($Check) {
    $paths = @(Get-BestPath (Get-RecordedMac (Get-SavedState).mac))
    [ordered] @{ paths = $paths.Count; metadataAnswers = [bool] (Get-MetadataToken) } | ConvertTo-Json -Compress
    exit 0
}

# Runs at start-up, each minute and by hand may overlap; Task Scheduler's rule does not cover the last.
$alone = New-Object Threading.Mutex $false, 'Global\casement-guard'
try { $held = $alone.WaitOne(0) } catch [Threading.AbandonedMutexException] { $held = $true }
if (-not $held) { exit 0 }
try {
    if (Invoke-Guard) { exit 0 }
    exit 1
} catch {
    $failed = Get-SavedState
    $failed.ok = $false
    $failed.error = Get-ErrorText $_
    Save-State $failed
    Write-CasementEvent 4001 $false $failed.error
    exit 1
} finally {
    $alone.ReleaseMutex()
}
