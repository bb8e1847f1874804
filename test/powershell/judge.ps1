# Judges operations with the functions of a script of ours and prints one answer a line. Nothing is done.
param([string] $SessionFile, [string] $OperationFile, [string] $CasesFile)

. $SessionFile
. $OperationFile
foreach ($case in @(Get-Content -LiteralPath $CasesFile -Raw | ConvertFrom-Json)) {
    try {
        Assert-Operation $case
        'right'
    } catch {
        $_.Exception.Message
    }
}
