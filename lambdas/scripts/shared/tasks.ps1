# Scheduled tasks as SYSTEM. Two triggers: at start-up and, if wanted, at an interval of minutes. A repetition without a
# duration never ends (Windows refuses a duration of TimeSpan.MaxValue since Windows Server 2016).
function Get-TaskArguments($action) {
    $words = @('-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', $action.script) + @($action.arguments)
    foreach ($word in $words) { if ("$word".Contains('"')) { throw 'an argument holds a quotation mark' } }
    # Before a closing quotation mark a backslash is doubled (Microsoft, "Parsing C command-line arguments").
    return @($words | ForEach-Object { if ("$_" -match '^[^\s]+$') { "$_" } else { "`"$("$_" -replace '(\\+)$', '$1$1')`"" } }) -join ' '
}

# Windows shows the account's name in the machine's language.
function Test-System([string] $user) {
    $local = "$((Get-CimInstance -ClassName Win32_SystemAccount -Filter "SID='S-1-5-18'").Name)"
    return @('S-1-5-18', 'SYSTEM', 'NT AUTHORITY\SYSTEM', $local) -contains $user
}

# The difference between a task and the wanted one; nothing if there is none.
function Get-TaskFault($task, [string] $arguments, [int] $minutes) {
    $action = @($task.Actions)[0]
    $intervals = @($task.Triggers | Where-Object { $_.Repetition -and $_.Repetition.Interval } | ForEach-Object { "$($_.Repetition.Interval)" })
    $wanted = @(if ($minutes -gt 0) { "PT$($minutes)M" })
    if ("$($task.State)" -eq 'Disabled') { return 'it is disabled' }
    if ($action.Execute -ne 'powershell.exe' -or $action.Arguments -cne $arguments) { return "it runs $($action.Execute) $($action.Arguments)" }
    if (-not (Test-System $task.Principal.UserId)) { return "it runs as $($task.Principal.UserId)" }
    if (-not (Test-Same $intervals $wanted)) { return "its intervals are '$($intervals -join ', ')'" }
    return ''
}

function Set-PlannedTask($action) {
    $arguments = Get-TaskArguments $action
    $task = Get-ScheduledTask -TaskName $action.name -ErrorAction SilentlyContinue
    if ($task -and -not (Get-TaskFault $task $arguments $action.everyMinutes)) { return $false }
    $triggers = @(New-ScheduledTaskTrigger -AtStartup)
    if ($action.everyMinutes -gt 0) {
        $triggers += New-ScheduledTaskTrigger -Once -At ([DateTime]::Now) -RepetitionInterval (New-TimeSpan -Minutes $action.everyMinutes)
    }
    $new = @{
        TaskName = $action.name
        Action = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument $arguments
        Trigger = $triggers
        Principal = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
        Settings = New-ScheduledTaskSettingsSet -MultipleInstances IgnoreNew -ExecutionTimeLimit (New-TimeSpan -Minutes 10) -StartWhenAvailable
    }
    Register-ScheduledTask @new -Force | Out-Null
    $fault = Get-TaskFault (Get-ScheduledTask -TaskName $action.name) $arguments $action.everyMinutes
    if ($fault) { throw "after it was registered, $fault" }
    return $true
}

function Wait-Task([string] $name, [DateTime] $deadline) {
    while (@('Running', 'Queued') -contains "$((Get-ScheduledTask -TaskName $name).State)") {
        if ([DateTime]::UtcNow -ge $deadline) { throw 'it did not end in time' }
        Start-Sleep -Seconds 1
    }
}

# A run under way ends first; it may still write.
function Remove-PlannedTask($action) {
    if (-not (Get-ScheduledTask -TaskName $action.name -ErrorAction SilentlyContinue)) { return $false }
    Wait-Task $action.name ([DateTime]::UtcNow.AddSeconds(240))
    Unregister-ScheduledTask -TaskName $action.name -Confirm:$false
    return $true
}

# Windows ignores a start while the task runs, so this waits for the current run first. A run is always a change,
# because the effect of the task is unknown.
function Invoke-PlannedTask($action) {
    $deadline = [DateTime]::UtcNow.AddSeconds($action.withinSeconds)
    Wait-Task $action.name $deadline
    $before = (Get-ScheduledTaskInfo -TaskName $action.name).LastRunTime
    # Windows keeps the time of a run in whole seconds: after a second, a new run is visible.
    Start-Sleep -Seconds 1
    Start-ScheduledTask -TaskName $action.name
    while ((Get-ScheduledTaskInfo -TaskName $action.name).LastRunTime -eq $before) {
        if ([DateTime]::UtcNow -ge $deadline) { throw 'it did not start in time' }
        Start-Sleep -Seconds 1
    }
    Wait-Task $action.name $deadline
    $result = (Get-ScheduledTaskInfo -TaskName $action.name).LastTaskResult
    if ($result -eq 0) { return $true }
    $why = ''
    if (Test-Has $action 'record') { $why = Get-RecordedError $action.record }
    if ($why) { throw "its last result is ${result}: $why" }
    throw "its last result is $result"
}
