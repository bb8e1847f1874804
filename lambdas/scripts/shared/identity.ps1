# Identifies a boot: by the number that Windows increments, which is also the boot id in the Node's status, or by the
# time of the boot if the number is missing.
function Get-BootId {
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters'
    $values = Get-ItemProperty -Path $key -ErrorAction SilentlyContinue
    if (Test-Has $values 'BootId') { return "$($values.BootId)" }
    return (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToUniversalTime().ToString('o')
}

# The guard's last result. The guard runs every minute, so this waits for a current run (SCHED_S_TASK_RUNNING, 0x41301).
function Get-GuardResult([int] $patience = 60) {
    for ($second = 0; ; $second++) {
        $last = (Get-ScheduledTaskInfo -TaskName 'Casement guard').LastTaskResult
        if ($last -ne 267009 -or $second -ge $patience) { return $last }
        Start-Sleep -Seconds 1
    }
}

# State of the metadata route's guard: its file, task, and repairs if it ran now.
function Get-GuardState {
    $path = Join-Path $CasementHome 'guard.ps1'
    $state = [ordered] @{ present = $false; sha256 = $null; taskEnabled = $false; lastResult = $null; paths = 0; error = '' }
    $task = Get-ScheduledTask -TaskName 'Casement guard' -ErrorAction SilentlyContinue
    if ($task) {
        $state.taskEnabled = "$($task.State)" -ne 'Disabled'
        $last = Get-GuardResult
        # SCHED_S_TASK_HAS_NOT_RUN (0x41303) and SCHED_S_TASK_RUNNING (0x41301) are no results.
        if (@(267009, 267011) -notcontains $last) { $state.lastResult = [long] $last }
        if ($last -ne 0) { $state.error = Get-RecordedError (Join-Path $CasementHome 'guard.json') }
    }
    if (Test-Path -LiteralPath $path) {
        $state.present = $true
        $state.sha256 = (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant()
        $state.paths = [int] (& $path -Check | Select-Object -Last 1 | ConvertFrom-Json).paths
    }
    return $state
}
