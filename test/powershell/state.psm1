# The machine that the stand-ins emulate: one JSON file, named by CASEMENT_STANDIN_STATE, written after every change so
# that the test (and the metadata service it runs) sees what the script did at once.
Set-StrictMode -Version 2

$script:Machine = Get-Content -LiteralPath $env:CASEMENT_STANDIN_STATE -Raw | ConvertFrom-Json -AsHashtable

function Get-Machine { return , $script:Machine }

function Save-Machine {
    $text = $script:Machine | ConvertTo-Json -Depth 12
    $new = "$($env:CASEMENT_STANDIN_STATE).new"
    [IO.File]::WriteAllText($new, $text)
    [IO.File]::Move($new, $env:CASEMENT_STANDIN_STATE, $true)
}

# Changes on the machine while the script sleeps: each sleep takes the next entry of "later", whose parts replace the present ones.
function Step-Machine {
    $later = @($script:Machine.later)
    if ($later.Count -eq 0) { return }
    foreach ($part in @($later[0].Keys)) { $script:Machine[$part] = $later[0][$part] }
    $script:Machine.later = @($later | Select-Object -Skip 1)
    Save-Machine
}

function Add-Note([string] $text) {
    $script:Machine.notes = @($script:Machine.notes) + $text
    Save-Machine
}

# The error of a cmdlet that does not find what it was asked for, with the category that Windows' own cmdlets give it.
function Stop-Absent([string] $words, $action) {
    if ("$action" -eq 'SilentlyContinue') { return }
    throw (New-Object Management.Automation.ErrorRecord (New-Object Exception $words), 'NotFound', 'ObjectNotFound', $null)
}

# A policy or a service that does not answer keeps a cmdlet from looking.
function Assert-Allowed([string] $cmdlet, $action) {
    if (-not $script:Machine.ContainsKey('denied') -or @($script:Machine.denied) -notcontains $cmdlet) { return $true }
    if ("$action" -eq 'SilentlyContinue') { return $false }
    throw (New-Object Management.Automation.ErrorRecord (New-Object Exception 'Access is denied.'), 'Denied', 'PermissionDenied', $null)
}

Export-ModuleMember -Function 'Get-Machine', 'Save-Machine', 'Step-Machine', 'Add-Note', 'Stop-Absent', 'Assert-Allowed'
