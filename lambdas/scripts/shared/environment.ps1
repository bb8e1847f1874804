# A service's own environment. Its process keeps what the registry had when it started; a note of Casement has the hash of
# that, because Windows does not show it.
function Get-OwnEnvironment([string] $service) {
    $values = Get-ItemProperty -Path "HKLM:\SYSTEM\CurrentControlSet\Services\$service"
    if (Test-Has $values 'Environment') { $values.Environment }
}

# Names the process behind a service; empty while it does not run. Windows gives the ids of ended processes again.
function Get-ServiceIdentity([string] $service) {
    $found = Get-CimInstance -ClassName Win32_Service -Filter "Name='$service'"
    if (-not $found -or -not $found.ProcessId) { return '' }
    $process = Get-CimInstance -ClassName Win32_Process -Filter "ProcessId=$($found.ProcessId)"
    return "$($found.ProcessId) $($process.CreationDate.ToUniversalTime().Ticks) "
}

# Does a service run with another environment than the registry has now?
function Test-EnvironmentPending {
    foreach ($note in @(Get-ChildItem -Path $CasementHome -Filter 'started-*.txt' -ErrorAction SilentlyContinue)) {
        $service = $note.BaseName.Substring(8)
        $process = Get-ServiceIdentity $service
        $started = Get-Content -LiteralPath $note.FullName -Raw
        if ($process -and $started.StartsWith($process) -and $started -cne "$process$(Get-TextHash (@(Get-OwnEnvironment $service) -join "`n"))") { return $true }
    }
    return $false
}
