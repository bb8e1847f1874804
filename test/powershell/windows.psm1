# Stand-ins for the rest of Windows: time, access, tasks, features, Defender, events, power.
Import-Module (Join-Path $PSScriptRoot 'state.psm1')

# A sleep is short here, and the rest of the machine changes during it.
function Start-Sleep([double] $Seconds, [int] $Milliseconds) {
    [Threading.Thread]::Sleep(2)
    Step-Machine
}

function Get-Acl([string] $LiteralPath) {
    $known = (Get-Machine).access
    $sddl = if ($known.ContainsKey($LiteralPath)) { $known[$LiteralPath] } else { 'O:SYG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)' }
    $acl = [pscustomobject] @{ Sddl = $sddl }
    # Windows adds the group and marks the list as checked for inheritance.
    $acl | Add-Member -MemberType ScriptMethod -Name SetSecurityDescriptorSddlForm -Value {
        param($wanted, $sections)
        if ($sections -ne 'Access, Owner') { throw 'Setting the audit part needs a privilege.' }
        $this.Sddl = $wanted.Replace('O:BA', 'O:BAG:SY').Replace('D:P(', 'D:PAI(')
    }
    return $acl
}

function Set-Acl([string] $LiteralPath, $AclObject) {
    (Get-Machine).access[$LiteralPath] = $AclObject.Sddl
    Save-Machine
}

function Get-WindowsFeature([string] $Name) {
    foreach ($entry in (Get-Machine).features.GetEnumerator()) {
        if (-not $Name -or $entry.Key -eq $Name) { [pscustomobject] @{ Name = $entry.Key; InstallState = $entry.Value } }
    }
}

function Install-WindowsFeature([string] $Name) {
    $machine = Get-Machine
    if ($machine.featureFails) { return [pscustomobject] @{ Success = $false; ExitCode = 'Failed'; RestartNeeded = 'No' } }
    $machine.features[$Name] = 'InstallPending'
    Save-Machine
    return [pscustomobject] @{ Success = $true; ExitCode = 'SuccessRestartRequired'; RestartNeeded = $machine.restartNeeded }
}

function Get-MpPreference { return [pscustomobject] @{ ExclusionProcess = @((Get-Machine).exclusions) } }

function Add-MpPreference([string] $ExclusionProcess) {
    (Get-Machine).exclusions = @((Get-Machine).exclusions) + $ExclusionProcess
    Save-Machine
}

function New-EventLog([string] $LogName, [string] $Source, $ErrorAction) { }

function Write-EventLog([string] $LogName, [string] $Source, [int] $EventId, [string] $EntryType, [string] $Message) {
    (Get-Machine).events = @((Get-Machine).events) + @{ kind = $EntryType; id = $EventId; text = $Message }
    Save-Machine
}

function New-ScheduledTaskAction([string] $Execute, [string] $Argument) { return @{ execute = $Execute; arguments = $Argument } }

function New-ScheduledTaskTrigger([switch] $AtStartup, [switch] $Once, $At, [TimeSpan] $RepetitionInterval) {
    return @{ interval = if ($Once) { [Xml.XmlConvert]::ToString($RepetitionInterval) } else { '' } }
}

function New-ScheduledTaskPrincipal([string] $UserId, [string] $LogonType, [string] $RunLevel) { return @{ user = $UserId } }

function New-ScheduledTaskSettingsSet([string] $MultipleInstances, [TimeSpan] $ExecutionTimeLimit, [switch] $StartWhenAvailable) {
    return @{ multipleInstances = $MultipleInstances; limit = $ExecutionTimeLimit.TotalMinutes }
}

function Register-ScheduledTask([string] $TaskName, $Action, $Trigger, $Principal, $Settings, [switch] $Force) {
    $known = (Get-Machine).tasks
    $result = if ($known.ContainsKey($TaskName)) { $known[$TaskName].nextResult } else { 0 }
    # Windows returns the account's name.
    if ($Principal.user -eq 'S-1-5-18') { $Principal.user = (Get-Machine).systemName }
    $known[$TaskName] = @{ state = 'Ready'; action = $Action; triggers = @($Trigger); principal = $Principal; settings = $Settings; lastResult = 267011; nextResult = $result; runs = 0 }
    Save-Machine
}

function Unregister-ScheduledTask([string] $TaskName, [switch] $Confirm) {
    if (-not (Get-Machine).tasks.ContainsKey($TaskName)) { throw "No MSFT_ScheduledTask objects found with property 'TaskName' equal to '$TaskName'." }
    (Get-Machine).tasks.Remove($TaskName)
    Save-Machine
}

function Get-ScheduledTask([string] $TaskName, $ErrorAction) {
    if (-not (Assert-Allowed 'Get-ScheduledTask' $ErrorAction)) { return }
    $tasks = (Get-Machine).tasks
    if (-not $tasks.ContainsKey($TaskName)) {
        return Stop-Absent "No MSFT_ScheduledTask objects found with property 'TaskName' equal to '$TaskName'." $ErrorAction
    }
    $record = $tasks[$TaskName]
    $triggers = @($record.triggers | ForEach-Object { [pscustomobject] @{ Repetition = [pscustomobject] @{ Interval = $_.interval } } })
    $action = [pscustomobject] @{ Execute = $record.action.execute; Arguments = $record.action.arguments }
    [pscustomobject] @{ State = $record.state; Actions = @($action); Triggers = $triggers; Principal = [pscustomobject] @{ UserId = $record.principal.user } }
}

function Get-ScheduledTaskInfo([string] $TaskName) {
    return [pscustomobject] @{ LastTaskResult = (Get-Machine).tasks[$TaskName].lastResult; LastRunTime = (Get-Machine).tasks[$TaskName].runs }
}

function Start-ScheduledTask([string] $TaskName) {
    if (-not (Get-Machine).tasks.ContainsKey($TaskName)) { throw 'The system cannot find the file specified.' }
    $record = (Get-Machine).tasks[$TaskName]
    if ($record.state -eq 'Disabled') { throw 'The task is disabled.' }
    $record.lastResult = $record.nextResult
    $record.runs++
    if ($record.ContainsKey('writes')) { foreach ($path in $record.writes.Keys) { [IO.File]::WriteAllText($path, $record.writes[$path]) } }
    Add-Note "run $TaskName"
}

# The newest event comes first.
function Get-WinEvent($FilterHashtable, [int] $MaxEvents, $ErrorAction) {
    if (-not (Assert-Allowed 'Get-WinEvent' $ErrorAction)) { return }
    $from = if ($FilterHashtable.ContainsKey('StartTime')) { $FilterHashtable.StartTime.ToUniversalTime() } else { [DateTime]::MinValue }
    $found = @((Get-Machine).log | Where-Object { $_ -and $FilterHashtable.Id -contains $_.id -and ([DateTime] $_.at).ToUniversalTime() -ge $from })
    if ($FilterHashtable.ContainsKey('ProviderName')) { $found = @($found | Where-Object { $_.source -eq $FilterHashtable.ProviderName }) }
    if ($found.Count -eq 0) { return Stop-Absent 'No events were found that match the specified selection criteria.' $ErrorAction }
    [Array]::Reverse($found)
    foreach ($event in @($found | Select-Object -First $MaxEvents)) {
        $first = [pscustomobject] @{ Value = $event.text -replace '^The (.+?) service .*$', '$1' }
        [pscustomobject] @{ Id = $event.id; TimeCreated = ([DateTime] $event.at).ToUniversalTime(); Message = $event.text; Properties = @($first) }
    }
}

# Only the drive Cert: is replaced.
function Get-ChildItem([string] $Path, [string] $LiteralPath, [string] $Filter, [switch] $Force, $ErrorAction) {
    if (-not $Path.StartsWith('Cert:')) { return Microsoft.PowerShell.Management\Get-ChildItem @PSBoundParameters }
    $store = $Path.Split('\')[-1]
    if (-not (Get-Machine).certificates.ContainsKey($store)) { return Stop-Absent "Cannot find path '$Path' because it does not exist." }
    foreach ($thumbprint in @((Get-Machine).certificates[$store] | Where-Object { $_ })) { [pscustomobject] @{ Thumbprint = $thumbprint } }
}

# The machine's stores of certificates, which only Windows has. Root shows AuthRoot as well.
function New-Object([string] $TypeName, $ArgumentList) {
    if (-not $TypeName.EndsWith('.X509Store')) { return , (Microsoft.PowerShell.Utility\New-Object @PSBoundParameters) }
    $store = [pscustomobject] @{ Name = $ArgumentList[0]; Mode = '' }
    $store | Add-Member ScriptMethod Open { param($mode) $this.Mode = $mode }
    $store | Add-Member ScriptMethod Close { $this.Mode = '' }
    $store | Add-Member ScriptProperty Certificates {
        if (-not $this.Mode) { throw 'The X509 certificate store has not been opened.' }
        foreach ($name in @($this.Name) + $(if ($this.Name -eq 'Root') { 'AuthRoot' })) {
            foreach ($one in @((Get-Machine).certificates[$name] | Where-Object { $_ })) { [pscustomobject] @{ Thumbprint = $one } }
        }
    }
    $change = { param($store, $thumbprints)
        if ($store.Mode -ne 'ReadWrite') { throw 'The X509 certificate store is read-only.' }
        (Get-Machine).certificates[$store.Name] = @($thumbprints)
        Save-Machine
    }
    $store | Add-Member NoteProperty Change $change
    $store | Add-Member ScriptMethod Add { param($one) & $this.Change $this (@((Get-Machine).certificates[$this.Name] | Where-Object { $_ }) + $one.Thumbprint) }
    $store | Add-Member ScriptMethod Remove { param($one) & $this.Change $this @((Get-Machine).certificates[$this.Name] | Where-Object { $_ -and $_ -ne $one.Thumbprint }) }
    return $store
}

# Windows deletes no file while a program reads it without sharing its deletion, as Go's programs do.
function Remove-Item([string] $LiteralPath, [switch] $Force, [switch] $Recurse, $ErrorAction) {
    if ((Get-Machine).ContainsKey('read') -and @((Get-Machine).read) -contains $LiteralPath) {
        $used = New-Object IO.IOException "Cannot remove item ${LiteralPath}: it is being used by another process."
        Write-Error -Exception $used -ErrorAction Stop
    }
    Microsoft.PowerShell.Management\Remove-Item @PSBoundParameters
}

# The real cmdlets would restart the machine that runs the test.
function Restart-Computer { throw 'Restart-Computer was called.' }
function Stop-Computer { throw 'Stop-Computer was called.' }

Export-ModuleMember -Function '*'
