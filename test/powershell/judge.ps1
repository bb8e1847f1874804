# Judges actions with the functions of a script of ours and prints one answer a line. Nothing is done.
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
