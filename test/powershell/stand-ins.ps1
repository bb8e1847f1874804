# Replaces Windows by the stand-ins; the test inserts this line after the parameters of a script. Without them
# no script runs: some of the replaced cmdlets exist on every system.
foreach ($part in @('state', 'services', 'registry', 'network', 'windows')) {
    Import-Module (Join-Path $PSScriptRoot "$part.psm1") -DisableNameChecking
}
foreach ($name in @('Restart-Computer', 'Stop-Computer', 'Start-Sleep', 'sc.exe')) {
    if ((Get-Command $name).CommandType -ne 'Function') { throw "The stand-in for $name is missing." }
}
if ((Get-Machine).ContainsKey('constrained')) { $ExecutionContext.SessionState.LanguageMode = 'ConstrainedLanguage' }
