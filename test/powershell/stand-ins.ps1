# Puts the stand-ins in the place of Windows; the test lays this line behind the parameters of a script. Without them
# nothing is run: some cmdlets that they replace are real on every system.
foreach ($part in @('state', 'services', 'registry', 'network', 'windows')) {
    Import-Module (Join-Path $PSScriptRoot "$part.psm1") -DisableNameChecking
}
foreach ($name in @('Restart-Computer', 'Stop-Computer', 'Start-Sleep', 'sc.exe')) {
    if ((Get-Command $name).CommandType -ne 'Function') { throw "The stand-in for $name is missing." }
}
if ((Get-Machine).ContainsKey('constrained')) { $ExecutionContext.SessionState.LanguageMode = 'ConstrainedLanguage' }
