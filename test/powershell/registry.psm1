# Stand-ins for the HKLM: drive; other paths go to the real cmdlets. A service's key shows its record.
Import-Module (Join-Path $PSScriptRoot 'state.psm1')

$Services = 'HKLM:\SYSTEM\CurrentControlSet\Services\'
$Fields = @{
    ImagePath = 'commandLine'; Description = 'description'; DependOnService = 'dependsOn'; ObjectName = 'account'
    Environment = 'environment'; FailureActions = 'failureActions'; FailureActionsOnNonCrashFailures = 'failureFlag'
}

function Get-ServiceValues($record) {
    $values = @{ Start = @{ Automatic = 2; Manual = 3; Disabled = 4 }[$record.startType] }
    foreach ($field in $Fields.GetEnumerator()) {
        $value = $record[$field.Value]
        if (@($value).Count -gt 0) { $values[$field.Key] = $value }
    }
    return [pscustomobject] $values
}

function Get-ItemProperty([string] $Path, $ErrorAction) {
    if (-not (Assert-Allowed 'Get-ItemProperty' $ErrorAction)) { return }
    $machine = Get-Machine
    if ($Path.StartsWith($Services)) {
        $name = $Path.Substring($Services.Length)
        if ($machine.services.ContainsKey($name)) { return Get-ServiceValues $machine.services[$name] }
    } elseif ($machine.registry.ContainsKey($Path)) { return [pscustomobject] $machine.registry[$Path] }
    Stop-Absent "Cannot find path '$Path' because it does not exist." $ErrorAction
}

function Get-Values([string] $path) {
    $machine = Get-Machine
    if (-not $path.StartsWith($Services)) { return $machine.registry[$path] }
    return $machine.services[$path.Substring($Services.Length)]
}

function New-ItemProperty([string] $Path, [string] $Name, [string] $PropertyType, $Value, [switch] $Force) {
    $values = Get-Values $Path
    $key = if ($Path.StartsWith($Services)) { $Fields[$Name] } else { $Name }
    $values[$key] = $Value
    Save-Machine
}

function Remove-ItemProperty([string] $Path, [string] $Name) {
    if ($Path.StartsWith($Services)) { (Get-Values $Path)[$Fields[$Name]] = @() } else { (Get-Values $Path).Remove($Name) }
    Save-Machine
}

function Test-Path([string] $Path, [string] $LiteralPath, [string] $PathType = 'Any') {
    if ($Path.StartsWith('HKLM:')) { return (Get-Machine).registry.ContainsKey($Path) }
    $given = if ($LiteralPath) { $LiteralPath } else { $Path }
    return Microsoft.PowerShell.Management\Test-Path -LiteralPath $given -PathType $PathType
}

Export-ModuleMember -Function 'Get-ItemProperty', 'New-ItemProperty', 'Remove-ItemProperty', 'Test-Path'
