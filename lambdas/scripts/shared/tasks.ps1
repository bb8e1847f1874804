# Scheduled tasks as SYSTEM. Two triggers: at start-up and, if wanted, every so many minutes from now on; a repetition
# without a duration goes on for ever (a duration of TimeSpan.MaxValue is refused since Windows Server 2016).
function Get-TaskArguments($operation) {
    $words = @('-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', $operation.script) + @($operation.arguments)
    foreach ($word in $words) { if ("$word".Contains('"')) { throw 'an argument holds a quotation mark' } }
    return @($words | ForEach-Object { if ("$_" -match '^[^\s]+$') { "$_" } else { "`"$_`"" } }) -join ' '
}

function Test-Task($task, [string] $arguments, [int] $minutes) {
    $action = @($task.Actions)[0]
    $intervals = @($task.Triggers | Where-Object { $_.Repetition -and $_.Repetition.Interval } | ForEach-Object { "$($_.Repetition.Interval)" })
    $wanted = @(if ($minutes -gt 0) { "PT$($minutes)M" })
    return "$($task.State)" -ne 'Disabled' -and $action.Execute -eq 'powershell.exe' -and $action.Arguments -ceq $arguments -and
        @('SYSTEM', 'NT AUTHORITY\SYSTEM', 'S-1-5-18') -contains $task.Principal.UserId -and (Test-Same $intervals $wanted)
}

function Set-PlannedTask($operation) {
    $arguments = Get-TaskArguments $operation
    $task = Get-ScheduledTask -TaskName $operation.name -ErrorAction SilentlyContinue
    if ($task -and (Test-Task $task $arguments $operation.everyMinutes)) { return $false }
    $triggers = @(New-ScheduledTaskTrigger -AtStartup)
    if ($operation.everyMinutes -gt 0) {
        $triggers += New-ScheduledTaskTrigger -Once -At ([DateTime]::Now) -RepetitionInterval (New-TimeSpan -Minutes $operation.everyMinutes)
    }
    $new = @{
        TaskName = $operation.name
        Action = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument $arguments
        Trigger = $triggers
        Principal = New-ScheduledTaskPrincipal -UserId 'SYSTEM' -LogonType ServiceAccount -RunLevel Highest
        Settings = New-ScheduledTaskSettingsSet -MultipleInstances IgnoreNew -ExecutionTimeLimit (New-TimeSpan -Minutes 10) -StartWhenAvailable
    }
    Register-ScheduledTask @new -Force | Out-Null
    return $true
}

function Wait-Task([string] $name, [DateTime] $deadline) {
    while (@('Running', 'Queued') -contains "$((Get-ScheduledTask -TaskName $name).State)") {
        if ([DateTime]::UtcNow -ge $deadline) { throw 'it did not end in time' }
        Start-Sleep -Seconds 1
    }
}

# A start while the task runs is ignored by Windows, so a run that is under way is waited for first. It always counts
# as a change: what the task did is its own affair.
function Invoke-PlannedTask($operation) {
    $deadline = [DateTime]::UtcNow.AddSeconds($operation.withinSeconds)
    Wait-Task $operation.name $deadline
    $before = (Get-ScheduledTaskInfo -TaskName $operation.name).LastRunTime
    # The time of a run is kept in whole seconds: a second later, a new run shows.
    Start-Sleep -Seconds 1
    Start-ScheduledTask -TaskName $operation.name
    while ((Get-ScheduledTaskInfo -TaskName $operation.name).LastRunTime -eq $before) {
        if ([DateTime]::UtcNow -ge $deadline) { throw 'it did not start in time' }
        Start-Sleep -Seconds 1
    }
    Wait-Task $operation.name $deadline
    $result = (Get-ScheduledTaskInfo -TaskName $operation.name).LastTaskResult
    if ($result -ne 0) { throw "its last result is $result" }
    return $true
}
