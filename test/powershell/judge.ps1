# Checks actions with the functions of a script of Casement and prints one answer a line. It changes nothing.
param([string] $SessionFile, [string] $ActionFile, [string] $CasesFile)

. $SessionFile
. $ActionFile
foreach ($case in @(Get-Content -LiteralPath $CasesFile -Raw | ConvertFrom-Json)) {
    try {
        Assert-Action $case
        'right'
    } catch {
        $_.Exception.Message
    }
}
