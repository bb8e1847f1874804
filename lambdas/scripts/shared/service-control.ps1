# Starts and stops services within a limit. Start-Service, Stop-Service and Restart-Service wait without end for a
# service that stays pending, with a warning every two seconds (PowerShell's Service.cs, DoWaitForStatus).
function Get-ServiceState([string] $name) {
    return "$((Get-Service -Name $name).Status)"
}

function Get-ServiceProcess([string] $name) {
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$name'"
    if ($service.ProcessId) { return " (process $($service.ProcessId))" }
    return ''
}

# Counts the seconds by polls, so that setting the clock meanwhile changes nothing.
function Wait-ServiceState([string] $name, [string[]] $states, [int] $seconds) {
    for ($look = 0; $states -notcontains (Get-ServiceState $name); $look++) {
        if ($look -ge 2 * $seconds) {
            throw (New-Fault 'service-hangs' "$name is $(Get-ServiceState $name) after $seconds seconds$(Get-ServiceProcess $name)")
        }
        Start-Sleep -Milliseconds 500
    }
}

# Stops dependent services first: .NET's own way waits half a minute for each, and its error does not name it.
function Stop-ServiceBounded([string] $name, [int] $seconds = 120) {
    foreach ($dependent in @((Get-Service -Name $name).DependentServices)) {
        if ("$($dependent.Status)" -ne 'Stopped') { Stop-ServiceBounded $dependent.Name $seconds }
    }
    Wait-ServiceState $name @('Running', 'Paused', 'Stopped', 'StopPending') $seconds
    if (@('Running', 'Paused') -contains (Get-ServiceState $name)) { Stop-Service -Name $name -NoWait -Force }
    Wait-ServiceState $name @('Stopped') $seconds
}

function Start-ServiceBounded([string] $name, [int] $seconds = 60) {
    Wait-ServiceState $name @('Running', 'Paused', 'Stopped', 'StartPending') $seconds
    if ((Get-ServiceState $name) -eq 'Stopped') { (Get-Service -Name $name).Start() }
    # A program that ends while it starts is Stopped again, so the wait ends.
    Wait-ServiceState $name @('Running', 'Stopped') $seconds
    if ((Get-ServiceState $name) -ne 'Running') { throw (New-Fault 'service-not-started' "$name stopped while it started") }
}
