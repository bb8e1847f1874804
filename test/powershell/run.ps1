# Runs one of our scripts with the stand-ins in the place of Windows. Without them nothing is run: some cmdlets that
# they replace are real on every system.
param([string] $Script, [string] $ArgumentsJson)

$ErrorActionPreference = 'Stop'
foreach ($part in @('state', 'services', 'registry', 'network', 'windows')) {
    Import-Module (Join-Path $PSScriptRoot "$part.psm1") -DisableNameChecking
}
foreach ($name in @('Restart-Computer', 'Stop-Computer', 'Start-Sleep', 'sc.exe')) {
    if ((Get-Command $name).CommandType -ne 'Function') { throw "The stand-in for $name is missing." }
}
$given = $ArgumentsJson | ConvertFrom-Json -AsHashtable
& $Script @given
exit $LASTEXITCODE
